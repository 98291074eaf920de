"""The pages of a scan, the next one fetched while one is taken in.

`run.scan_history` turns every value of every row into Python objects on the way: more than half of
the time of reading a long run, while the SDK's service waits. Here its scan is asked for pages as
they come, one ahead, and the values stay text until somebody wants them.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def pages(service: Any, run: Any, keys: list[str], size: int) -> Iterator[list[Any]]:
    """Pages of `size` steps; a row has `history_items`, each with `key` and `value_json`.

    Raises what the SDK raises.
    """
    from wandb.apis import public

    class Scan(public.HistoryScan):
        @staticmethod
        def _convert_history_row_to_dict(history_row: Any) -> Any:
            return history_row

        def page(self) -> list[Any] | None:
            """The next page as the service sent it; None after the last."""
            if self.page_offset >= self._stop_step:
                return None
            self._load_next()
            rows, self.rows = self.rows, []
            return rows

    scan = Scan(
        run=run,
        service_api=service,
        min_step=0,
        max_step=run.lastHistoryStep + 1,
        keys=keys,
        page_size=size,
        use_cache=False,
    )
    with ThreadPoolExecutor(1) as ahead:
        following = ahead.submit(scan.page)
        while True:
            rows = following.result()
            if rows is None:
                return
            following = ahead.submit(scan.page)
            yield rows

"""The HTTP server below every stand-in for a service."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer


class Listener(ThreadingHTTPServer):
    """Says nothing of a client that left in the middle: its words would end up in another test."""

    daemon_threads = True
    request_queue_size = 128

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Answer in another thread until the block ends."""
        # It looks for its end once a poll, and hundreds of tests wait for that end.
        thread = threading.Thread(target=self.serve_forever, args=(0.002,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            self.shutdown()
            self.server_close()
            thread.join()

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]

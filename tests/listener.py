"""The HTTP server below every stand-in for a service."""

from __future__ import annotations

import sys
from http.server import ThreadingHTTPServer


class Listener(ThreadingHTTPServer):
    """Says nothing of a client that left in the middle: its words would end up in another test."""

    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]

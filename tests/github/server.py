"""GitHub, stood in for: a server on this machine over real git repositories.

Every request and every answer is held to GitHub's official descriptions (`official/`); what does
not keep to them is noted in `broken`, and the fixture fails the test that caused it.
"""

from __future__ import annotations

import json
import re
import threading
import time
import traceback
from contextlib import ExitStack, suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.github import graph, rest, rest_app, rest_git
from tests.github.context import Context, ProblemError
from tests.github.contract import ContractError, Operation, operation
from tests.github.hooks import Hook
from tests.github.outage import Outage
from tests.github.rest import HANDLERS
from tests.github.store import Call, Fault, Identity, Store
from tests.github.views import Views, etag
from tests.listener import Listener

__all__ = ["Server", "graph", "rest", "rest_app", "rest_git"]

_WRITES = ("POST", "PATCH", "PUT", "DELETE")
_MINUTE = 60.0


class Server:
    """Use it as a context manager; `url` is the value of GITHUB_API_URL."""

    def __init__(self, folder: Path) -> None:
        self.store = Store(folder)
        self.hooks: list[Hook] = []
        self.broken: list[str] = []
        self.lock = threading.RLock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # else an answer in two parts waits 40 ms

            def _handle(self) -> None:
                server.handle(self)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _handle  # noqa: N815

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Says nothing; `store.calls` has it."""

        self._http = Listener(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        self.views = Views(self.store, self.url)
        self._serving = ExitStack()

    def __enter__(self) -> Server:
        self._serving.enter_context(self._http.serving())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._serving.close()

    def environment(self, token: str | None = None) -> dict[str, str]:
        """The variables that lead a client here."""
        found = {
            "GITHUB_API_URL": self.url,
            "GITHUB_GRAPHQL_URL": f"{self.url}/graphql",
            "GITHUB_SERVER_URL": "https://github.com",
        }
        return found | ({"GITHUB_TOKEN": token} if token else {})

    def handle(self, http: BaseHTTPRequestHandler) -> None:
        """Answers one request."""
        address = urlsplit(http.path)
        length = int(http.headers.get("Content-Length") or 0)
        data = http.rfile.read(length)
        if len(data) < length:
            http.close_connection = True  # Who asked was killed before the request was sent.
            return
        asked = Context(
            store=self.store,
            views=self.views,
            identity=None,
            method=http.command,
            path=unquote(address.path),
            query=dict(parse_qsl(address.query, keep_blank_values=True)),
            body=json.loads(data) if data else None,
            hooks=self.hooks,
        )
        outage = self.store.outage
        away = self._away(outage, asked) if outage and not outage.over() else None
        with self.lock:
            status, body = away or self._answer(asked, http)
            self._meanwhile(_named(asked))
        payload = b"" if body is None else json.dumps(body, ensure_ascii=False).encode()
        if isinstance(body, str):
            payload = body.encode()  # What no API says, but a proxy does.
        if http.command == "GET" and status == 200:
            tag = etag(payload)
            asked.headers["ETag"] = tag
            if http.headers.get("If-None-Match") == tag:
                status, payload = 304, b""
        self._count(asked, status)
        # Who asked may have been killed meanwhile.
        with suppress(ConnectionError):
            http.send_response(status)
            for name, value in asked.headers.items():
                http.send_header(name, value)
            http.send_header("Content-Type", "application/json; charset=utf-8")
            http.send_header("Content-Length", str(len(payload)))
            http.end_headers()
            http.wfile.write(payload)
        for act in asked.later:
            threading.Thread(target=act, daemon=True).start()

    def _away(self, outage: Outage, asked: Context) -> tuple[int, Any] | None:
        """What an outage answers; None when the right answer is given, if late."""
        outage.asked.append(time.time())
        answer = outage.answer()
        time.sleep(min(outage.delay(), max(0.0, outage.until - time.time())))
        if answer is None:
            return None
        status, headers, message = answer
        asked.headers |= headers
        return status, _problem(status, message)

    def _answer(self, asked: Context, http: BaseHTTPRequestHandler) -> tuple[int, Any]:
        try:
            named = _named(asked)
            status, body = self._carry_out(asked, http, named)
        except ContractError as error:
            self.broken.append(str(error))
            status, body = 500, {"message": str(error)}
        except ProblemError as error:
            asked.headers |= error.headers
            status, body = error.status, _problem(error.status, error.message)
        except Exception:
            self.broken.append(traceback.format_exc())
            status, body = 500, {"message": "a fault of the stand-in"}
        login = asked.identity.account.login if asked.identity else None
        self.store.calls.append(Call(asked.method, _named(asked), status, login, asked.body))
        return status, body

    def _carry_out(
        self, asked: Context, http: BaseHTTPRequestHandler, named: str
    ) -> tuple[int, Any]:
        fault = self._fault(asked.method, named)
        if fault and not fault.after:
            asked.headers |= dict(fault.headers)
            return fault.status, fault.body
        asked.path = _by_id(self.store, asked.path)
        self._sign_in(asked, http.headers.get("Authorization") or "")
        self._limits(asked)
        if asked.path == "/graphql":
            if asked.identity is None:
                raise ProblemError(401, "This endpoint requires you to be authenticated.")
            status, body = 200, graph.answer(asked)
        else:
            status, body = self._rest(asked)
        if fault:
            asked.headers |= dict(fault.headers)
            return fault.status, fault.body
        return status, body

    def _rest(self, asked: Context) -> tuple[int, Any]:
        found = operation(asked.method, asked.path)
        if found is None:
            raise ContractError(f"GitHub has no {asked.method} {asked.path} in official/")
        what, parameters = found
        handler = HANDLERS.get((what.method, what.template))
        if handler is None:
            raise ContractError(f"the stand-in does not answer {what.method} {what.template}")
        if wrong := what.check_request(asked.query, asked.body):
            raise ContractError(f"the request {asked.method} {asked.path} is wrong: {wrong}")
        try:
            status, body = handler(asked, **parameters)
        except ProblemError as error:
            asked.headers |= error.headers
            status, body = error.status, _problem(error.status, error.message)
        return status, self._held(what, status, body)

    def _held(self, what: Operation, status: int, body: Any) -> Any:
        return what.answer(status, body)

    def _meanwhile(self, named: str) -> None:
        for waiting in list(self.store.meanwhile):
            if re.search(waiting[0], named):
                self.store.meanwhile.remove(waiting)
                waiting[1]()

    def _fault(self, method: str, named: str) -> Fault | None:
        for fault in self.store.faults:
            if fault.times and fault.method == method and re.search(fault.path, named):
                fault.times -= 1
                return fault
        return None

    def _sign_in(self, asked: Context, header: str) -> None:
        kind, _, token = header.partition(" ")
        if not token:
            return
        if kind == "Bearer" and token.count(".") == 2:
            asked.app = rest_app.app_of(self.store, token)
            if asked.app is None:
                raise ProblemError(401, "A JSON web token could not be decoded")
            asked.identity = Identity(asked.app.bot)
            return
        identity = self.store.tokens.get(token)
        if identity is None or (identity.expires and identity.expires < time.time()):
            raise ProblemError(401, "Bad credentials")
        asked.identity = identity

    def _limits(self, asked: Context) -> None:
        identity = asked.identity
        if identity is None:
            return
        if identity.reset <= time.time():
            identity.remaining, identity.reset = 5_000, int(time.time()) + 3_600
        asked.headers["X-RateLimit-Limit"] = "5000"
        asked.headers["X-RateLimit-Remaining"] = str(max(identity.remaining - 1, 0))
        asked.headers["X-RateLimit-Reset"] = str(identity.reset)
        if identity.remaining <= 0:
            login = identity.account.login
            raise ProblemError(403, f"API rate limit exceeded for user ID {login}.")
        limit = self.store.writes_per_minute
        if limit is not None and _is_write(asked):
            now = time.monotonic()
            identity.writes = [at for at in identity.writes if now - at < _MINUTE]
            if len(identity.writes) >= limit:
                wait = {"Retry-After": str(int(_MINUTE - (now - identity.writes[0])) + 1)}
                raise ProblemError(
                    403,
                    "You have exceeded a secondary rate limit and have been temporarily blocked "
                    "from content creation. Please retry your request again later.",
                    wait,
                )
            identity.writes.append(now)

    def _count(self, asked: Context, status: int) -> None:
        # What was not modified is free.
        if asked.identity is not None and status != 304:
            asked.identity.remaining -= 1


def _named(asked: Context) -> str:
    if asked.path != "/graphql":
        return asked.path
    return f"/graphql {graph.question(asked.body['query']).name}"


def _is_write(asked: Context) -> bool:
    if asked.path == "/graphql":
        return graph.question(asked.body["query"]).mutation
    return asked.method in _WRITES


def _by_id(store: Store, path: str) -> str:
    """`/repositories/ID/…`, where redirects lead to, by its name."""
    found = re.match(r"/repositories/(\d+)(/.*)?\Z", path)
    if found is None:
        return path
    for repository in store.repositories.values():
        if repository.id == int(found[1]):
            return f"/repos/{repository.full_name}{found[2] or ''}"
    raise ProblemError(404, "Not Found")


def _problem(status: int, message: str) -> dict[str, Any]:
    page = "https://docs.github.com/rest"
    return {"message": message, "documentation_url": page, "status": str(status)}

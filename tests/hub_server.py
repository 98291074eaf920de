"""A server that speaks as the Hugging Face Hub does of models' configurations."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar

from tests.listener import Listener

CONFIG: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 2048,
    "intermediate_size": 8192,
    "num_hidden_layers": 16,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 64,
    "vocab_size": 128256,
    "tie_word_embeddings": True,
}


@dataclass
class Hub:
    """A server that answers as the Hub does, and what it was asked for."""

    address: str
    pages: dict[str, tuple[int, bytes | str]] = field(default_factory=dict)
    """By path: a status with a body, or with where it lies instead."""
    asked: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)

    def holds(self, name: str, config: object = CONFIG) -> None:
        self.pages[f"/{name}/resolve/main/config.json"] = 200, json.dumps(config).encode()


@contextmanager
def serving_hub() -> Iterator[Hub]:
    """Answer until the block ends."""

    class Answers(BaseHTTPRequestHandler):
        of: ClassVar[Hub]

        def do_GET(self) -> None:
            self.of.asked.append((self.path, dict(self.headers)))
            status, page = self.of.pages.get(self.path, (404, b"Entry not found"))
            self.send_response(status)
            if isinstance(page, str):
                self.send_header("Location", page)
            self.end_headers()
            self.wfile.write(page if isinstance(page, bytes) else b"")

        def log_message(self, *_: object) -> None: ...

    server = Listener(("127.0.0.1", 0), Answers)
    Answers.of = Hub(f"http://127.0.0.1:{server.server_address[1]}")
    with server.serving():
        yield Answers.of

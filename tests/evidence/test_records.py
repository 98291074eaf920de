"""The declared records agree with the installed SDK's, field by field."""

from __future__ import annotations

import json
import subprocess
import sys

from bot.evidence.transaction_log import record_type

_ASK_SDK = """
import json, sys, warnings
warnings.simplefilter("ignore")
from google.protobuf import timestamp_pb2
from wandb.proto import wandb_base_pb2, wandb_internal_pb2 as pb
found = {}
for name in json.load(sys.stdin):
    message = getattr(timestamp_pb2 if name == "Timestamp" else pb, name).DESCRIPTOR
    found[name] = {
        f.name: [
            f.number, f.type, f.is_repeated, f.message_type.name if f.message_type else None,
            f.containing_oneof.name if f.containing_oneof else None,
        ]
        for f in message.fields
    }
print(json.dumps(found))
"""


def test_every_field_is_the_sdks() -> None:
    file = record_type().DESCRIPTOR.file
    # In a process of its own: importing the SDK warns and starts threads.
    done = subprocess.run(
        [sys.executable, "-c", _ASK_SDK],
        input=json.dumps(list(file.message_types_by_name)),
        capture_output=True,
        text=True,
        check=True,
    )
    sdk = json.loads(done.stdout)
    assert set(file.message_types_by_name) == set(sdk) >= {"Record", "HistoryItem"}
    for name, message in file.message_types_by_name.items():
        for field in message.fields:
            ours = [
                field.number,
                field.type,
                field.is_repeated,
                field.message_type.name if field.message_type else None,
                field.containing_oneof.name if field.containing_oneof else None,
            ]
            assert ours == sdk[name][field.name], f"{name}.{field.name}"

"""The records of a W&B transaction log, as far as they are evidence.

A log holds `wandb_internal.Record` messages. The fields below are that schema's own numbers, which
protobuf keeps stable; a test compares every one with the installed SDK's descriptor. The messages
are declared here, and decoded by protobuf's C runtime, because the SDK's generated module cannot be
imported without the whole of `wandb`: 360 ms and 49 MB against 30 ms and 16 MB. What a field left
out here holds (summaries, telemetry, artifacts) is never built as a Python object.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from bot.evidence.protobuf_messages import Messages, message_class

PACKAGE: Final = "rlbot.wandb_log"
ONE_OF: Final = {"Record": "record_type", "HistoryItem": "value"}

MESSAGES: Final[Messages] = {
    "Record": (
        ("history", 2, "?HistoryRecord"),
        ("output", 4, "?OutputRecord"),
        ("config", 5, "?ConfigRecord"),
        ("stats", 7, "?StatsRecord"),
        ("output_raw", 13, "?OutputRawRecord"),
        ("run", 17, "?RunRecord"),
        ("exit", 18, "?RunExitRecord"),
        ("environment", 26, "?EnvironmentRecord"),
    ),
    "RunRecord": (
        ("run_id", 1, "string"),
        ("entity", 2, "string"),
        ("project", 3, "string"),
        ("config", 4, "ConfigRecord"),
        ("display_name", 8, "string"),
        ("starting_step", 14, "int64"),
        ("resumed", 18, "bool"),
        ("forked", 22, "bool"),
        ("branch_point", 23, "BranchPoint"),
    ),
    "BranchPoint": (("run", 1, "string"), ("value", 2, "double")),
    "ConfigRecord": (("update", 1, "*ConfigItem"), ("remove", 2, "*ConfigItem")),
    "ConfigItem": (
        ("key", 1, "string"),
        ("nested_key", 2, "*string"),
        ("value_json", 16, "string"),
    ),
    "HistoryRecord": (("item", 1, "*HistoryItem"), ("step", 2, "HistoryStep")),
    "HistoryItem": (
        ("key", 1, "string"),
        ("nested_key", 2, "*string"),
        ("integer", 5, "?sint64"),
        ("number", 6, "?double"),
        ("value_json", 16, "string"),
    ),
    "HistoryStep": (("num", 1, "int64"),),
    "StatsRecord": (("timestamp", 2, "Timestamp"), ("item", 3, "*StatsItem")),
    "Timestamp": (("seconds", 1, "int64"), ("nanos", 2, "int32")),
    "StatsItem": (("key", 1, "string"), ("value_json", 16, "string")),
    "EnvironmentRecord": (
        ("args", 5, "*string"),
        ("program", 6, "string"),
        ("gpu_type", 18, "string"),
        ("gpu_count", 19, "uint32"),
        ("gpu_nvidia", 24, "*GpuNvidiaInfo"),
    ),
    "GpuNvidiaInfo": (("name", 1, "string"), ("memory_total", 2, "uint64")),
    "RunExitRecord": (("exit_code", 1, "int32"),),
    "OutputRecord": (("line", 3, "string"),),
    "OutputRawRecord": (("line", 3, "string"),),
}


@cache
def record_type() -> Any:
    """The class of `Record`; parse with `ParseFromString` and ask `WhichOneof("record_type")`."""
    return message_class(PACKAGE, MESSAGES, "Record", ONE_OF)

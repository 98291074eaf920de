"""Messages of protobuf that files here declare, decoded by protobuf's own C runtime.

What a declaration leaves out of a message is never built as a Python object.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from bot.base.regex import regex

_COMMENT: Final = regex(r"^//.*", re.MULTILINE)
_PACKAGE: Final = regex(r"^package ([\w.]+);", re.MULTILINE)
_PART: Final = regex(
    r"(?P<opening>message|oneof) (?P<title>\w+) \{|^ *(?P<repeated>repeated )?(?P<type>\w+) "
    r"(?P<name>\w+) = (?P<number>\d+);|\}",
    re.MULTILINE,
)


def message_class(declared: Path, name: str) -> Any:
    """The class of one of the messages that a file declares, in protobuf's language.

    Of that language a file has messages side by side, scalar fields, and one oneof in a message.
    """
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    proto = descriptor_pb2.FieldDescriptorProto
    text = _COMMENT.sub("", declared.read_text(encoding="utf-8"))
    package = _PACKAGE.findall(text)[0]
    # A pool of our own: a tracker's messages, when somebody imports them, live in the default one.
    file = descriptor_pb2.FileDescriptorProto(
        name=f"{package}.proto", package=package, syntax="proto3"
    )
    one_of = False
    for part in _PART.finditer(text):
        if part["opening"] == "message":
            message = file.message_type.add(name=part["title"])
        elif part["name"]:
            field = message.field.add(name=part["name"], number=int(part["number"]))
            field.label = proto.LABEL_REPEATED if part["repeated"] else proto.LABEL_OPTIONAL
            if one_of:
                field.oneof_index = 0
            if f"message {part['type']} " in text:
                field.type, field.type_name = proto.TYPE_MESSAGE, f".{package}.{part['type']}"
            else:
                field.type = proto.Type.Value(f"TYPE_{part['type'].upper()}")
        elif one_of := part["opening"] == "oneof":
            message.oneof_decl.add(name=part["title"])
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{name}"))


def decoded(kind: Any, data: bytes) -> Any:
    """The message of a class that these bytes are; raises ValueError where they are none."""
    from google.protobuf.message import DecodeError

    try:
        return kind.FromString(data)
    except DecodeError:
        raise ValueError(f"no {kind.DESCRIPTOR.name}") from None

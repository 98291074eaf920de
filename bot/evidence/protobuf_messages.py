"""Messages of protobuf that are declared here, and decoded by protobuf's own C runtime.

What a declaration leaves out of a message is never built as a Python object.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

Messages: TypeAlias = Mapping[str, tuple[tuple[str, int, str], ...]]
"""Message to its fields: name, number, and type, which is one of protobuf's or another message's
name; "*" before it marks a repeated field, "?" a member of the message's oneof."""


def message_class(
    package: str, messages: Messages, name: str, one_of: Mapping[str, str] | None = None
) -> Any:
    """The class of one of these messages; `one_of` names the oneof of each that has one."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    proto = descriptor_pb2.FieldDescriptorProto
    # A pool of our own: a tracker's messages, when somebody imports them, live in the default one.
    file = descriptor_pb2.FileDescriptorProto(
        name=f"{package}.proto", package=package, syntax="proto3"
    )
    for message, fields in messages.items():
        built = file.message_type.add(name=message)
        if one_of and message in one_of:
            built.oneof_decl.add(name=one_of[message])
        for field, number, kind in fields:
            made = built.field.add(
                name=field,
                number=number,
                label=proto.LABEL_REPEATED if kind[0] == "*" else proto.LABEL_OPTIONAL,
            )
            if kind[0] == "?":
                made.oneof_index = 0
            kind = kind.lstrip("*?")
            if kind in messages:
                made.type = proto.TYPE_MESSAGE
                made.type_name = f".{package}.{kind}"
            else:
                made.type = proto.Type.Value(f"TYPE_{kind.upper()}")
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

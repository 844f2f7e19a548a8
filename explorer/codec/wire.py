"""Cases and explorations as bytes (msgpack).

msgspec reads the types off the frozen dataclasses themselves, so a value that does not fit its field is refused when
it arrives instead of surprising someone later.
"""

from __future__ import annotations

from functools import cache
from typing import Any, get_type_hints

import msgspec

from explorer.model.case import Case
from explorer.model.graph import Signature
from explorer.model.verdict import Exploration

FIELDS: dict[str, Any] = get_type_hints(Exploration)

_encoder = msgspec.msgpack.Encoder()


@cache
def _decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]:
    return msgspec.msgpack.Decoder(kind)


def encode(field: str, value: object) -> bytes:
    """One field of an exploration."""
    if field not in FIELDS:
        raise ValueError(f"An exploration has no field {field!r}.")
    return _encode(value, field)


def decode(field: str, data: bytes) -> Any:
    """The value of one field; raises ``msgspec.ValidationError`` where it does not have the field's type."""
    return _decoder(FIELDS[field]).decode(data)


def encode_case(case: Case) -> bytes:
    """A case."""
    return _encode(case, "case")


def decode_case(data: bytes) -> Case:
    """A case."""
    case: Case = _decoder(Case).decode(data)
    return case


def encode_exploration(exploration: Exploration) -> bytes:
    """A whole exploration, for a cache or a file."""
    return _encode(exploration, "exploration")


def decode_exploration(data: bytes) -> Exploration:
    """A whole exploration."""
    exploration: Exploration = _decoder(Exploration).decode(data)
    return exploration


def encode_signatures(signatures: dict[str, Signature]) -> bytes:
    """Local signatures by the kind of op."""
    return _encode(signatures, "signatures")


def decode_signatures(data: bytes) -> dict[str, Signature]:
    """Local signatures by the kind of op; raises ``msgspec.ValidationError`` where they are none."""
    signatures: dict[str, Signature] = _decoder(dict[str, Signature]).decode(data)
    return signatures


def _encode(value: object, name: str) -> bytes:
    try:
        return _encoder.encode(value)
    except TypeError as error:
        raise TypeError(f"{name} holds a value that cannot leave the process: {error}") from error

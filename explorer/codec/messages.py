"""What client, host and child say to each other, and how one message is told from the next in a stream.

Client to host: ``Start``, ``Cancel``. Host to client: ``Ready``, then per job ``Working``, ``Event``..., ``Ended``.
Child to host: ``Working``, ``Event``..., ``Finished``.
"""

from __future__ import annotations

import struct
from typing import BinaryIO, TypeAlias

import msgspec

from explorer.model.verdict import Outcome


class Message(msgspec.Struct, frozen=True, tag=True):
    """One message; the tag on the wire is the class's name."""


class Start(Message, frozen=True):
    """Explore this case, with paths relative to ``folder``."""

    job: int
    case: bytes
    folder: str


class Cancel(Message, frozen=True):
    """Stop this job."""

    job: int


class Ready(Message, frozen=True):
    """A job that is started now runs at once: whatever is slow to import has been imported."""


class Working(Message, frozen=True):
    """The child is about to call the work function: the clock of the time limit starts here."""

    job: int


class Event(Message, frozen=True):
    """One field of the exploration, encoded."""

    job: int
    field: str
    value: bytes


class Finished(Message, frozen=True):
    """The work function came back; ``raised``: it emitted a failure, or an exception left it."""

    job: int
    raised: bool


class Ended(Message, frozen=True):
    """The job is over and its processes have been killed. Nothing follows for this job."""

    job: int
    outcome: Outcome


AnyMessage: TypeAlias = Start | Cancel | Ready | Working | Event | Finished | Ended

_LENGTH = struct.Struct(">Q")
_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[AnyMessage] = msgspec.msgpack.Decoder(AnyMessage)


def pack(message: AnyMessage) -> bytes:
    """A message as bytes, for a channel that keeps message borders itself."""
    return _encoder.encode(message)


def unpack(data: bytes) -> AnyMessage:
    """The message that ``pack`` made bytes of."""
    return _decoder.decode(data)


def write(stream: BinaryIO, data: bytes) -> None:
    """Send one packed message down a stream of bytes."""
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def read(stream: BinaryIO) -> AnyMessage | None:
    """The next message, None when the stream has ended (also in the middle of a message)."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    return unpack(data) if len(data) == length else None

"""What crosses between the processes comes out as it went in."""

from __future__ import annotations

import io
import math
from dataclasses import replace
from functools import partial

import msgspec
import pytest

from explorer.codec import messages, wire
from explorer.model.case import Case, InputSpec
from explorer.model.graph import Location, Signature
from explorer.model.verdict import Exploration, Failure, GradientFlow, Prediction
from tests.fake_work import RUN, SNAPSHOT

CASE = Case(
    "file.py:f",
    inputs=(InputSpec("x", (None, None, 10), size=(3, 5, 10)), InputSpec("y", None)),
    options=(("cell", "LSTM"), ("units", 4), ("rate", 1.0), ("bias", True)),
    way="tf1",
)
FLOW = GradientFlow((Prediction("x", "flows", True),), (), frozenset({0, 1}), frozenset())


def test_case_keeps_values_and_their_types() -> None:
    back = wire.decode_case(wire.encode_case(CASE))
    assert back == CASE
    assert [type(value) for _, value in back.options] == [str, int, float, bool]


def test_whole_exploration() -> None:
    snapshot = replace(SNAPSHOT, signatures=(Signature("ok", frozenset({(0, 1)}), frozenset({1})),))
    failure = Failure("trace", "ValueError", "m", Location("f.py", 3))
    whole = Exploration(CASE, "raised", "trace", failure, snapshot, FLOW, trips={"a": (3,)}, seconds={"start": 0.5})
    assert wire.decode_exploration(wire.encode_exploration(whole)) == whole


def test_nan_and_infinity_survive() -> None:
    back = wire.decode("run", wire.encode("run", RUN))
    assert math.isnan(back.measurements[0].norm)
    assert back.measurements[1].norm == math.inf


def test_unknown_field_is_refused() -> None:
    with pytest.raises(ValueError, match="no field 'colour'"):
        wire.encode("colour", "red")


@pytest.mark.parametrize(("field", "value"), [("stage", "lunch"), ("trips", {"a": "b"}), ("snapshot", {"ops": []})])
def test_wrong_value_is_refused(field: str, value: object) -> None:
    with pytest.raises(msgspec.ValidationError):
        wire.decode(field, wire.encode(field, value))


def test_stream_of_messages_cut_anywhere() -> None:
    sent = [messages.Ready(), messages.Event(7, "stage", b"\x00" * 300), messages.Ended(7, "timed_out")]
    stream = io.BytesIO()
    for message in sent:
        messages.write(stream, messages.pack(message))
    whole = stream.getvalue()
    for length in range(len(whole) + 1):
        read = list(iter(partial(messages.read, io.BytesIO(whole[:length])), None))
        assert read == sent[: len(read)]
    assert read == sent

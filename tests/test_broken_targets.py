"""Targets that are broken or hostile: one clear sentence each, the right exit code, an engine that goes on."""

from __future__ import annotations

import os
import pickle
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from explorer.cli.main import exit_code
from explorer.client import Engine
from explorer.strategies.parse import make_case

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(300)]

X = 'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }\n'
FLOAT = 'attr { key: "T" value { type: DT_FLOAT } }'
UNKNOWN = X + 'node { name: "y" op: "OpOfTomorrow" input: "x" }'
CIRCLE = X + "".join(f'node {{ name: "{a}" op: "AddV2" input: "{b}" input: "x" {FLOAT} }}\n' for a, b in ("yz", "zy"))
VARIABLE = X + 'node { name: "w" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } } }'
RECURSION = X + (
    'library { function { signature { name: "again" } node_def { name: "call" op: "PartitionedCall" '
    'attr { key: "f" value { func { name: "again" } } } } } }'
)
MODEL = "import tensorflow as tf\n{}\ndef fn(x: tf.TensorSpec([2])):\n    {}\n    return tf.reduce_sum(x)\n"


def text(words: str) -> Callable[[Path], object]:
    return lambda file: file.write_text(words)


def data(content: bytes) -> Callable[[Path], object]:
    return lambda file: file.write_bytes(content)


def zipped(**entries: str) -> Callable[[Path], object]:
    def write(file: Path) -> None:
        with zipfile.ZipFile(file, "w") as archive:
            for name, words in entries.items():
                archive.writestr(name.replace("_DOT_", "."), words)

    return write


def folder(**files: bytes) -> Callable[[Path], object]:
    def write(place: Path) -> None:
        place.mkdir()
        for name, content in files.items():
            (place / name.replace("_DOT_", ".")).write_bytes(content)

    return write


def huge(file: Path) -> None:
    with open(file, "wb") as opened:
        os.truncate(opened.fileno(), 3 * 1024**3)  # a hole: it takes no room


BROKEN = [
    ("empty.pb", data(b""), "empty.pb is empty (0 bytes)"),
    ("empty.keras", data(b""), "empty.keras is empty (0 bytes)"),
    ("empty.zip", data(b""), "empty.zip is empty (0 bytes)"),
    ("noise.pb", data(b"\x93NUMPY not a graph"), "noise.pb is no GraphDef, or was cut off"),
    ("noise.pbtxt", text("node { name: "), "noise.pbtxt is no GraphDef, or was cut off"),
    ("noise.keras", data(pickle.dumps({"a": 1})), "noise.keras is no zip archive, or was cut off"),
    ("other.keras", zipped(readme="words"), "there is no config.json in it"),
    ("damaged.keras", zipped(config_DOT_json="{}", metadata_DOT_json="{}"), "damaged.keras is no Keras model"),
    ("pickle.keras", zipped(config_DOT_json="{}", weights_DOT_pkl="x"), "pickle.keras holds a pickle"),
    ("other.zip", zipped(readme="words"), "other.zip holds no SavedModel"),
    ("nothing", folder(), "nothing holds no SavedModel: there is no saved_model.pb in it"),
    ("hollow", folder(saved_model_DOT_pb=b""), "saved_model.pb is empty (0 bytes)"),
    ("cut", folder(saved_model_DOT_pb=b"\x08\x01\x12\xff\xff"), "cut is no SavedModel that can be read"),
    ("huge.pb", huge, "huge.pb is 3.0 GB, and protobuf reads 2 at most"),
    ("unknown.pbtxt", text(UNKNOWN), "needs the op 'OpOfTomorrow'"),
    ("circle.pbtxt", text(CIRCLE), "holds a cycle that is no loop"),
    ("recursion.pbtxt", text(RECURSION), "holds a function that calls itself (again)"),
    ("variable.pbtxt", text(VARIABLE), "has variables (w) without their values"),
    ("syntax.py:fn", text("x = 1\ndef fn(:\n"), "syntax.py:2 is not valid Python"),
    ("missing.py:fn", text("import module_of_nobody\n"), "imports module_of_nobody, which is not installed here"),
    ("leaves.py:fn", text("import sys\nsys.exit(4)\n"), "ends itself while it is loaded (exit code 4)"),
    ("bytes.py:fn", data(b"\xff\xfe\x00x"), "bytes.py is not a text that Python can read"),
    ("hollow.py:fn", data(b""), "hollow.py has no fn; it defines nothing callable"),
]


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


@pytest.mark.parametrize(("target", "write", "told"), BROKEN, ids=[row[0] for row in BROKEN])
def test_a_broken_target_is_one_sentence_and_exit_code_2(engine: Engine, tmp_path: Path, target, write, told) -> None:
    write(tmp_path / target.partition(":")[0])
    before = sorted(tmp_path.iterdir())
    found = engine.start(make_case(str(tmp_path / target))).wait(200)
    assert found.failure is not None
    assert found.failure.type == "BadInput", found.failure.detail
    assert told in found.failure.message
    assert "\n" not in found.failure.message
    assert exit_code([found]) == 2
    assert [p for p in sorted(tmp_path.iterdir()) if p.name != "__pycache__"] == before


HOSTILE = [
    ("quits", "import os", "os._exit(5)", "crashed", 3),
    ("sleeps", "import time", "time.sleep(1000)", "timed_out", 3),
    ("prints", "import sys", "sys.stdout.write('x' * 20_000_000)", "done", 0),
    ("forks", "import os, time", "os.fork() or time.sleep(1000)", "done", 0),
    ("grows", "", "big = [bytearray(b'x' * 2**20) for _ in range(10**6)]", "out_of_memory", 3),
]


@pytest.mark.parametrize(("name", "head", "line", "outcome", "code"), HOSTILE, ids=[row[0] for row in HOSTILE])
def test_a_hostile_file_ends_as_it_must(engine: Engine, tmp_path: Path, name, head, line, outcome, code) -> None:
    file = tmp_path / f"{name}.py"
    file.write_text(MODEL.format(head, line))
    limits = {"timeout": 3.0 if name == "sleeps" else 120.0, "memory": 2500}
    found = engine.start(make_case(f"{file}:fn", **limits)).wait(200)
    assert found.outcome == outcome, found.failure
    assert exit_code([found]) == code

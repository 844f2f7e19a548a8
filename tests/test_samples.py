"""Sample models are scripts worth copying: on their own, plain, the same shape everywhere."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from functools import cache

import pytest

from explorer.strategies.catalogue import STRATEGIES
from explorer.strategies.source import sample_file

KEYS = [strategy.key for strategy in STRATEGIES]


@pytest.mark.parametrize("key", KEYS)
def test_it_needs_tensorflow_and_numpy_and_nothing_of_ours(key):
    tree = ast.parse(sample_file(key).read_text(encoding="utf-8"))
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module)
    assert {"tensorflow"} <= imported <= {"tensorflow", "numpy", "keras"}


@pytest.mark.parametrize("strategy", STRATEGIES, ids=KEYS)
def test_build_takes_what_the_row_says_and_says_its_way(strategy):
    text = sample_file(strategy.key).read_text(encoding="utf-8")
    (build,) = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == "build"]
    names = [argument.arg for argument in build.args.args]
    usual = [ast.literal_eval(default) for default in build.args.defaults]
    options = {option.key: option.default for option in strategy.options}
    assert dict(zip(names, usual, strict=True)) == {
        **options, "shape": strategy.shape, "sizes": strategy.sizes, "seed": 0
    }  # fmt: skip
    assert f'"mode": "{strategy.way}"' in text


def test_the_weights_are_made_by_the_same_lines_in_every_file():
    def weights(key: str) -> str:
        tree = ast.parse(sample_file(key).read_text(encoding="utf-8"))
        return next(ast.unparse(node) for node in tree.body if getattr(node, "name", "") == "starting_weights")

    assert len({weights(key) for key in KEYS}) == 1


# Each file as its own main program, all of a kind in one process: starting TensorFlow takes longer than they do.
# Control flow v1 is a switch for a whole process, so TF1 has one to itself.
RUN_ALL = """
import runpy, sys
for file in sys.argv[1:]:
    print("==", file, flush=True)
    runpy.run_path(file, run_name="__main__")
"""


@cache
def printed(tf1: bool) -> dict[str, str]:
    files = {s.key: str(sample_file(s.key)) for s in STRATEGIES if (s.way == "tf1") == tf1}
    done = subprocess.run(
        [sys.executable, "-c", RUN_ALL, *files.values()],
        capture_output=True, text=True, check=False, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    parts = done.stdout.split("== ")[1:]
    return dict(zip(files, parts, strict=True))


@pytest.mark.tensorflow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("strategy", STRATEGIES, ids=KEYS)
def test_run_as_a_script_it_prints_one_norm_for_each_source(strategy):
    text = printed(strategy.way == "tf1")[strategy.key]
    lines = [re.fullmatch(r"(\w+) +([0-9.e+-]+)", line) for line in text.splitlines()]
    norms = {line[1]: float(line[2]) for line in lines if line}
    assert list(norms) == ["x", "kernel", "recurrent_kernel", "bias", "readout"]
    assert min(norms.values()) > 1e-4

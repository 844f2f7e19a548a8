"""Who may import what, read from the sources; the order of the layers is import-linter's (pyproject.toml)."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted(
    path for folder in ("explorer", "sample_models") for path in (ROOT / folder).rglob("*.py") if path.is_file()
)
SOURCES += [path for path in [ROOT / "app.py"] if path.is_file()]
TENSORFLOW = ("tensorflow", "keras", "tf_keras")
PRIVATE = "explorer/capture/private.py"


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported(path: Path) -> Iterator[str]:
    """Every module that a file imports, at the top or in a function, by import statement or import_module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module or ''}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            yield from (arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str))


def importers(*packages: str) -> set[str]:
    """The files that import any of these packages."""
    return {
        name(path)
        for path in SOURCES
        if any(each == package or each.startswith(package + ".") for each in imported(path) for package in packages)
    }


def outside(files: set[str], *places: str) -> set[str]:
    return {file for file in files if not file.startswith(places)}


def test_only_the_page_imports_streamlit() -> None:
    assert outside(importers("streamlit"), "explorer/ui/", "app.py") == set()


def test_nothing_imports_the_app() -> None:
    assert importers("app") == set()


def test_only_the_child_and_the_samples_import_tensorflow() -> None:
    found = importers(*TENSORFLOW)
    assert outside(found, "explorer/engine/", "explorer/capture/", "sample_models/") == set()
    assert PRIVATE in found  # the walk sees imports at all


def test_private_tensorflow_names_live_in_one_module() -> None:
    private = importers("tensorflow.python", "tensorflow.core", "tensorflow.compiler")
    assert private == {PRIVATE}
    spelled = {
        name(path)
        for path in SOURCES
        if any(
            isinstance(node, ast.Attribute) and ast.unparse(node).startswith(("tf.python", "tensorflow.python"))
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        )
    }
    assert spelled <= {PRIVATE}


def test_sample_models_stand_alone() -> None:
    assert {file for file in importers("explorer") if file.startswith("sample_models/")} == set()


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_files_stay_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300


@pytest.mark.parametrize("module", ["explorer", "explorer.cli.main", "explorer.client"])
def test_the_parent_side_loads_neither_tensorflow_nor_streamlit(module: str) -> None:
    heavy = (*TENSORFLOW, "streamlit")
    code = f"import sys, {module}; print([each for each in {heavy!r} if each in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_ci_runs_what_the_readme_tells_a_developer_to_run() -> None:
    command = next(
        line for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines() if "tests/check.py" in line
    )
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()

"""Which files are the user's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.capture import lines


@pytest.fixture(autouse=True)
def declared_again(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(lines, "_own_folders", set())
    lines.is_user_file.cache_clear()
    yield
    lines.is_user_file.cache_clear()


def test_a_virtual_environment_in_the_users_folder_holds_libraries(tmp_path: Path) -> None:
    lines.declare_user_folder(str(tmp_path))
    assert lines.is_user_file(str(tmp_path / "model.py"))
    assert not lines.is_user_file(str(tmp_path / ".venv/lib/python3.11/site-packages/keras/src/rnn.py"))


def test_a_model_installed_among_the_libraries_is_the_users_own(tmp_path: Path) -> None:
    folder = tmp_path / "lib/python3.11/site-packages/sample_models"
    assert not lines.is_user_file(str(folder / "model.py"))
    lines.declare_user_folder(str(folder))
    assert lines.is_user_file(str(folder / "model.py"))
    assert not lines.is_user_file(str(folder.parent / "keras/rnn.py"))

"""Archives from who knows where: nothing is written before all of the table of contents is found harmless."""

from __future__ import annotations

import os
import stat
import tempfile
import zipfile
from pathlib import Path

import pytest

from explorer.engine.archive import opened, unpacked
from explorer.model.case import BadInput


@pytest.fixture(autouse=True)
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder of the test's own, so that it can be seen what is left behind."""
    folder = tmp_path / "room"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def written(folder: Path, *entries: tuple[str | zipfile.ZipInfo, bytes]) -> str:
    file = folder / "model.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return str(file)


def link(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("../evil.pb", "a path that leaves its folder"),
        ("/etc/evil.pb", "a path that leaves its folder"),
        ("a\\..\\..\\evil.pb", "a path that leaves its folder"),
        ("C:/evil.pb", "a path that leaves its folder"),
        ("model/weights.pkl", "a pickle"),
        (link("model/saved_model.pb"), "a link"),
    ],
)
def test_a_harmful_entry_is_refused_and_nothing_is_written(tmp_path: Path, room: Path, name, told: str) -> None:
    file = written(tmp_path, ("good.txt", b"x"), (name, b"y"))
    with pytest.raises(BadInput, match=told), unpacked(file):
        pass
    assert list(room.iterdir()) == []
    assert not (tmp_path / "evil.pb").exists()


def test_a_bomb_is_refused_by_the_size_it_would_have(tmp_path: Path, room: Path) -> None:
    file = written(tmp_path, ("zeros", bytes(5_000_000)))
    assert os.path.getsize(file) < 10_000
    with pytest.raises(BadInput, match="would unpack to 5 MB, and 1 are the limit"), unpacked(file, 1024 * 1024):
        pass
    assert list(room.iterdir()) == []


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("explorer.engine.archive.MOST_FILES", 3)
    with pytest.raises(BadInput, match="holds 4 files"), opened(written(tmp_path, *((f"{k}", b"") for k in range(4)))):
        pass


@pytest.mark.parametrize(
    "damage", [lambda data: b"", lambda data: data[: len(data) // 2], lambda data: b"\x80\x04K\x01."]
)
def test_what_is_no_whole_archive_is_refused(tmp_path: Path, damage) -> None:
    file = Path(written(tmp_path, ("a", os.urandom(500))))
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(BadInput, match="written to its end"), opened(str(file)):
        pass


def test_damaged_content_is_refused_and_nothing_stays(tmp_path: Path, room: Path) -> None:
    file = Path(written(tmp_path, ("a", os.urandom(500))))
    data = bytearray(file.read_bytes())
    data[100] ^= 0xFF
    file.write_bytes(data)
    with pytest.raises(BadInput, match="damaged or encrypted"), unpacked(str(file)):
        pass
    assert list(room.iterdir()) == []


def test_the_folder_lives_as_long_as_it_is_needed_and_leftovers_of_the_dead_go(tmp_path: Path, room: Path) -> None:
    (room / "explorer-unpacked-999999999-x").mkdir()
    with unpacked(written(tmp_path, ("a/b", b"text"))) as folder:
        assert (Path(folder) / "a" / "b").read_bytes() == b"text"
        assert [found.name for found in room.iterdir()] == [Path(folder).name]
    assert list(room.iterdir()) == []

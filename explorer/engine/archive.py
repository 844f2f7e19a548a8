"""Unpacks an archive from who knows where: size, number, paths and links are checked before a byte is written."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from explorer.model.case import BadInput

MOST_BYTES = 2 * 1024**3
MOST_FILES = 10_000
_PREFIX = "explorer-unpacked-"
_PICKLES = (".pkl", ".pickle", ".joblib", ".pt", ".pth")


@contextlib.contextmanager
def unpacked(file: str, most_bytes: int = MOST_BYTES) -> Iterator[str]:
    """A folder with the archive's files, removed at the end. What a killed process left before is removed as well."""
    _sweep()
    folder = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-")
    try:
        with opened(file, most_bytes) as archive:
            archive.extractall(folder)
        yield folder
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "password" not in str(error):
            raise
        raise BadInput(f"{os.path.basename(file)} is damaged or encrypted ({error}): pack it anew.") from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def opened(file: str, most_bytes: int = MOST_BYTES) -> Iterator[zipfile.ZipFile]:
    """The archive, once its table of contents is found harmless; raises BadInput otherwise."""
    name = os.path.basename(file)
    if os.path.getsize(file) == 0:
        raise BadInput(f"{name} is empty (0 bytes): give a file that was written to its end.")
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, EOFError):
        raise BadInput(f"{name} is no zip archive, or was cut off: give a file that was written to its end.") from None
    with archive:
        complaint = _complaint(archive.infolist(), most_bytes)
        if complaint:
            raise BadInput(f"{name} {complaint}")
        yield archive


def _complaint(entries: Sequence[zipfile.ZipInfo], most_bytes: int) -> str:
    """What speaks against unpacking, empty where nothing does."""
    if len(entries) > MOST_FILES:
        return f"holds {len(entries)} files, and {MOST_FILES} are the limit: unpack it yourself and give the folder."
    size = sum(entry.file_size for entry in entries)
    if size > most_bytes:
        return (
            f"would unpack to {size / 1024**2:.0f} MB, and {most_bytes / 1024**2:.0f} are the limit: unpack it "
            "yourself and give the folder."
        )
    for entry in entries:
        path = PurePosixPath(entry.filename.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
            return f"holds a path that leaves its folder ({entry.filename!r}): pack the model's own folder only."
        if stat.S_ISLNK(entry.external_attr >> 16):
            return f"holds a link ({entry.filename!r}): pack the files themselves."
        if path.suffix.lower() in _PICKLES:
            return (
                f"holds a pickle ({entry.filename!r}), which can run code when it is read: pack the model without it."
            )
    return ""


def _sweep() -> None:
    """Remove what a process that was killed while it unpacked has left."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        process = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if process.isdecimal() and not _alive(int(process)):
            shutil.rmtree(folder, ignore_errors=True)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        return True
    return True

"""SVG to PNG without a browser and without system libraries, by resvg.

Text needs a font file. The wheel ``font-lato`` brings one, so that a picture looks the same on every machine and a slim
image needs nothing more; the system's fonts are asked only for what Lato cannot write, or where it is missing.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import resvg_py

from explorer.model.case import BadInput

NO_FONT = (
    "No font was found to write the picture's text with: install the wheel font-lato "
    "(python -m pip install font-lato) or the Debian package fonts-dejavu-core, or export to .svg."
)
_SYSTEM_FONTS = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/Library/Fonts",
    "/System/Library/Fonts",
    "C:/Windows/Fonts",
)


def png(svg: str, scale: float = 2.0) -> bytes:
    """The picture as a PNG, ``scale`` pixels for every pixel of the SVG."""
    own, system = fonts_for(svg)
    family = "Lato" if own else None
    drawn = resvg_py.svg_to_bytes(
        svg_string=svg, zoom=scale, font_files=list(own), font_family=family, sans_serif_family=family,
        skip_system_fonts=not system,
    )  # fmt: skip
    return bytes(drawn)


def fonts_for(svg: str) -> tuple[tuple[str, ...], bool]:
    """The font files that came with pip, and whether the system's are needed too; BadInput where there is none."""
    own = shipped_fonts()
    if not own and not has_system_font():
        raise BadInput(NO_FONT)
    return own, not own or not _lato_writes(svg)


@cache
def shipped_fonts() -> tuple[str, ...]:
    """The font files that came with pip."""
    spec = find_spec("font_lato")
    if spec is None or spec.origin is None:
        return ()
    folder = Path(spec.origin).parent / "files"
    return tuple(str(path) for path in (folder / "Lato-Regular.ttf", folder / "Lato-Bold.ttf") if path.is_file())


@cache
def has_system_font() -> bool:
    """Whether any font file lies where systems keep theirs."""
    folders = [Path(folder) for folder in (*_SYSTEM_FONTS, Path.home() / ".fonts", Path.home() / ".local/share/fonts")]
    suffixes = {".ttf", ".otf", ".ttc"}
    return any(path.suffix.lower() in suffixes for folder in folders if folder.is_dir() for path in folder.rglob("*"))


def _lato_writes(text: str) -> bool:
    """Lato covers Latin and common signs; Greek, Cyrillic, CJK and arrows need the system's fonts."""
    return all(ord(char) < 0x180 or char in "–—…≤≥×·‘’“”" for char in text)

"""SVG to PDF without a browser and without system libraries, by typst: vectors stay vectors, text stays text."""

from __future__ import annotations

from pathlib import Path

import typst

from explorer.export.png import fonts_for

# One page, as large as the figure; a pixel of the SVG is a point of the page.
_PAGE = b'#set page(width: auto, height: auto, margin: 0pt)\n#image(bytes(sys.inputs.picture), format: "svg")'


def pdf(svg: str) -> bytes:
    """The picture as a PDF of one page of the figure's size."""
    own, system = fonts_for(svg)
    written: bytes = typst.compile(  # type: ignore[misc]
        _PAGE, sys_inputs={"picture": svg}, font_paths=sorted({str(Path(font).parent) for font in own}),
        ignore_system_fonts=not system,
    )  # fmt: skip
    return written

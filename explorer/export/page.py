"""The picture as one HTML file: works offline, asks nobody for anything, moves and zooms like a map."""

from __future__ import annotations

from html import escape
from pathlib import Path

from explorer.rules.palette import THEMES, ThemeName

_SCRIPT = Path(__file__).with_name("page.js")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def page(svg: str, title: str, theme: ThemeName = "light") -> str:
    """The document; every element of the picture keeps its tooltip, and its words can be searched."""
    colours = THEMES[theme]
    style = (
        f"html,body{{margin:0;height:100%;background:{colours.page};color:{colours.faint};font:12px sans-serif}}"
        "svg{display:block;width:100%;height:100%;cursor:grab;touch-action:none;user-select:none}"
        "p{position:fixed;right:12px;bottom:4px;margin:0;pointer-events:none}"
    )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n<style>{style}</style></head>\n'
        f"<body>{svg}<p>drag to move · wheel or + − to zoom · f shows all</p>\n"
        f"<script>{_SCRIPT.read_text(encoding='utf-8')}</script></body></html>\n"
    )

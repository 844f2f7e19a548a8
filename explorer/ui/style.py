"""The page's few own rules of style, in colours that the theme decides."""

from __future__ import annotations

import streamlit as st

from explorer.rules.palette import ThemeName
from explorer.rules.statuses import look

_CODE = {
    "light": {"keyword": "#8250DF", "string": "#0A6640", "comment": "#6A737D", "number": "#0550AE"},
    "dark": {"keyword": "#C8A6FF", "string": "#8FD9A8", "comment": "#8B98A5", "number": "#8CC8FF"},
}

# The picture and the details beside it take the window's height, so that both are seen whole without scrolling.
PICTURE_HEIGHT = "max(480px, calc(100vh - 312px))"

# Drawn here: Streamlit would fetch the picture of a named icon from the internet.
ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#0072B2" stroke-width="2.2">'
    '<rect x="2" y="2" width="20" height="20" rx="5"/><rect x="7" y="7" width="10" height="10" rx="3"/></svg>'
)

_RULES = """
[data-testid="stHeader"] { height: 2.4rem; min-height: 2.4rem; background: transparent; }
.stMainBlockContainer { padding: 2.6rem 1.5rem 2rem 1.5rem; }
.stMainBlockContainer > [data-testid="stVerticalBlock"] { gap: 0.6rem; }
[data-testid="stSidebarHeader"] { height: 2.2rem; margin-bottom: 0; }
[data-testid="stSidebarUserContent"] { padding-bottom: 1.5rem; }
[data-testid="stSidebarUserContent"] [data-testid="stVerticalBlock"] { gap: 0.55rem; }
.st-key-details { max-height: calc(%(height)s + 104px); overflow: auto; padding-right: 4px; }
.st-key-details > [data-testid="stVerticalBlock"], .st-key-details { gap: 0.55rem; }
.st-key-details pre.source .row { min-width: 0; white-space: pre-wrap; overflow-wrap: anywhere; padding-left: 2.9em;
  text-indent: -2.9em; }
.st-key-details pre.source .no { width: 2.4em; padding-right: 0.7em; text-indent: 0; }
.st-key-details [data-testid="stAlert"] p { font-size: 0.92rem; }
.st-key-details table.plain td, .st-key-details table.plain th { padding-right: 7px; }
.st-key-details table.plain td.name { overflow-wrap: anywhere; }
div.small { font-size: 0.9rem; line-height: 1.45; overflow-wrap: anywhere; }
.st-key-details h5 { padding: 0; overflow-wrap: anywhere; }
table.plain { border-collapse: collapse; width: 100%%; font-size: 0.86rem; line-height: 1.35; }
table.plain th { text-align: left; font-weight: 600; opacity: 0.72; padding: 4px 10px 4px 0; white-space: nowrap; }
table.plain td { padding: 4px 10px 4px 0; border-top: 1px solid rgba(128, 140, 152, 0.28); vertical-align: top; }
table.plain td.name { overflow-wrap: break-word; }
.st-key-side_by_side table.plain { table-layout: fixed; min-width: 640px; }
.st-key-side_by_side table.plain td { overflow-wrap: anywhere; }
table.facts td.name { overflow-wrap: anywhere; }
table.facts td:first-child { opacity: 0.72; white-space: nowrap; width: 1%%; }
table.plain .sign { font-weight: 700; padding-right: 0.3em; }
.scroll { overflow-x: auto; }
pre.source { font: 0.8rem/1.5 "Source Code Pro", ui-monospace, Menlo, Consolas, monospace; margin: 0; padding: 8px 0;
  border: 1px solid rgba(128, 140, 152, 0.28); border-radius: 8px; overflow: auto; tab-size: 4; }
pre.source .row { display: block; padding: 0 12px 0 0; min-width: max-content; }
pre.source .no { display: inline-block; width: 3.6em; padding-right: 1.1em; text-align: right; opacity: 0.5;
  user-select: none; }
pre.source .hit { background: color-mix(in srgb, %(barred)s 17%%, transparent); box-shadow: inset 3px 0 0 %(barred)s; }
pre.source .here { background: rgba(86, 150, 210, 0.16); box-shadow: inset 3px 0 0 rgba(86, 150, 210, 0.9); }
pre.source .why { color: %(barred)s; font-weight: 600; }
pre.source .keyword { color: %(keyword)s; }
pre.source .string { color: %(string)s; }
pre.source .comment { color: %(comment)s; font-style: italic; }
pre.source .number { color: %(number)s; }
"""


def theme() -> ThemeName:
    """The theme that the reader looks at."""
    return "dark" if st.context.theme.type == "dark" else "light"


def write(name: ThemeName) -> None:
    """Put the rules into the page."""
    colours = {**_CODE[name], "barred": look("blocked").colour(name), "height": PICTURE_HEIGHT}
    st.html(f"<style>{_RULES % colours}</style>")

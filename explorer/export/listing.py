"""Python source as HTML, with lines set off."""

from __future__ import annotations

import io
import keyword
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from explorer.model.graph import Location
from explorer.model.verdict import Exploration

_KINDS = {tokenize.STRING: "string", tokenize.COMMENT: "comment", tokenize.NUMBER: "number"}
# From Python 3.12 on an f-string comes in pieces.
_PIECES = ("FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END")
_KINDS |= {getattr(tokenize, name): "string" for name in _PIECES if hasattr(tokenize, name)}


@dataclass(frozen=True)
class Note:
    """What to say beside a line. ``look`` is ``hit`` for a barrier, ``here`` for what is selected."""

    text: str = ""
    look: str = "hit"


def notes_of(exploration: Exploration) -> dict[int, Note]:
    """What is known about lines of the program that ran: barriers, bad numbers, the place of failure, risks."""
    flow, failure = exploration.flow, exploration.failure
    told = [(risk.location, f"! {risk.cause}") for risk in (flow.risks if flow else ())]
    told += [(bad.location, f"{bad.kind.upper()}: {bad.cause}") for bad in exploration.numerics]
    told += [(barrier.location, f"⊘ {barrier.cause}") for barrier in (flow.barriers if flow else ())]
    told += [(failure.location, f"! {failure.type}")] if failure else []
    texts: dict[int, list[str]] = {}
    for location, text in told:
        if location is not None and location.file == exploration.file:
            texts.setdefault(location.line, []).append(text)
    return {line: Note(", ".join(dict.fromkeys(rows))) for line, rows in texts.items()}


def own_line(exploration: Exploration, location: Location | None) -> int | None:
    """The line's number where it is one of the program that ran and its text is known."""
    known = location is not None and bool(exploration.code) and location.file == exploration.file
    return location.line if location is not None and known else None


def source_html(code: str, notes: Mapping[int, Note], first: int = 1, last: int | None = None, spare: int = 0) -> str:
    """The lines ``first`` to ``last``, counted from one, both included, without ``spare`` characters of indentation."""
    lines = _painted(code)
    last = min(last or len(lines), len(lines))
    rows = [_row(number, lines[number - 1][spare:], notes.get(number)) for number in range(max(1, first), last + 1)]
    return f'<pre class="source">{"".join(rows)}</pre>'


def around(code: str, line: int, notes: Mapping[int, Note], margin: int = 3) -> str:
    """A few lines before and after this one, moved to the left as one block."""
    rows = code.splitlines()
    first, last = max(1, line - margin), min(len(rows), line + margin)
    texts = [row for row in rows[first - 1 : last] if row.strip()]
    spare = min((len(row) - len(row.lstrip()) for row in texts), default=0)
    return source_html(code, notes, first, last, spare)


def _row(number: int, painted: str, note: Note | None) -> str:
    kind = f" {note.look}" if note else ""
    why = f'  <span class="why">{escape(note.text)}</span>' if note and note.text else ""
    return f'<span class="row{kind}"><span class="no">{number}</span>{painted or " "}{why}</span>'


def _painted(code: str) -> list[str]:
    """Every line as HTML, words in colour where Python can read the text."""
    lines = code.splitlines()
    marks: dict[int, list[tuple[int, int, str]]] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            kind = (
                "keyword" if token.type == tokenize.NAME and keyword.iskeyword(token.string) else _KINDS.get(token.type)
            )
            if kind:
                _mark(marks, lines, token, kind)
    except (tokenize.TokenError, SyntaxError):
        pass  # half of a file, or another language: what could be read is in colour
    return [_line(text, marks.get(number, [])) for number, text in enumerate(lines, 1)]


def _mark(marks: dict[int, list[tuple[int, int, str]]], lines: list[str], token: tokenize.TokenInfo, kind: str) -> None:
    (top, left), (bottom, right) = token.start, token.end
    for number in range(top, min(bottom, len(lines)) + 1):
        text = lines[number - 1]
        start = left if number == top else len(text) - len(text.lstrip())  # indentation stays outside the colours
        end = right if number == bottom else len(text)
        marks.setdefault(number, []).append((start, end, kind))


def _line(text: str, spans: list[tuple[int, int, str]]) -> str:
    parts, at = [], 0
    for start, end, kind in spans:
        if start < at:
            continue
        parts += [escape(text[at:start]), f'<span class="{kind}">{escape(text[start:end])}</span>']
        at = end
    return "".join(parts) + escape(text[at:])

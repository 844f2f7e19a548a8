"""How a refusal is worded: what is wrong, then what to write instead."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from explorer.model.case import BadInput


def unknown(kind: str, word: str, known: Iterable[str], owner: str = "") -> BadInput:
    """The refusal for a word that is on no list: the nearest word where there is one, else the whole list."""
    names = list(known)
    where = f" for {owner}" if owner else ""
    if not names:
        return BadInput(f"{owner or 'This target'} takes no {kind}, so {word!r} cannot be used: leave it out.")
    near = get_close_matches(word.lower(), [name.lower() for name in names], n=1, cutoff=0.6)
    if near:
        meant = next(name for name in names if name.lower() == near[0])
        return BadInput(f"Unknown {kind} {word!r}{where}: did you mean {meant!r}?")
    return BadInput(f"Unknown {kind} {word!r}{where}: choose one of {', '.join(names)}.")


def split_pair(text: str, what: str, example: str) -> tuple[str, str]:
    """``NAME=REST`` in two; refuses text without a name or without a rest."""
    name, sign, rest = text.partition("=")
    name, rest = name.strip(), rest.strip()
    if not sign or not name or not rest:
        raise BadInput(f"{what} {text!r} is not of the form {example.split('=')[0]}=...: write for example {example}.")
    return name, rest

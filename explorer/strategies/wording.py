"""How a refusal is worded: what is wrong, then what to write instead."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from explorer.model.case import BadInput


def shown(text: str) -> str:
    """The user's text in quotes, cut where it is long: a sentence has to stay readable."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def unknown(kind: str, word: str, known: Iterable[str], owner: str = "") -> BadInput:
    """The refusal for a word that is on no list: the nearest word where there is one, else the whole list."""
    names = list(known)
    where = f" for {owner}" if owner else ""
    if not names:
        return BadInput(f"{owner or 'This target'} takes no {kind}, so {shown(word)} cannot be used: leave it out.")
    near = get_close_matches(word.lower(), [name.lower() for name in names], n=1, cutoff=0.6)
    if near:
        meant = next(name for name in names if name.lower() == near[0])
        return BadInput(f"Unknown {kind} {shown(word)}{where}: did you mean {meant!r}?")
    choice = names[0] if len(names) == 1 else f"one of {', '.join(names)}"
    if kind == "strategy":  # too many for one sentence
        choice = f"one of the {len(names)} that `python -m explorer strategies` lists, such as {names[0]}"
    return BadInput(f"Unknown {kind} {shown(word)}{where}: write {choice}.")


def split_pair(text: str, what: str, form: str, example: str) -> tuple[str, str]:
    """``NAME=REST`` in two; refuses text without a name or without a rest."""
    name, sign, rest = text.partition("=")
    name, rest = name.strip(), rest.strip()
    if not sign or not name or not rest:
        raise BadInput(f"{what} {shown(text)} is not of the form {form}: write for example {example}.")
    return name, rest

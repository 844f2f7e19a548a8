"""How each gradient status looks and reads: the one table shared by the figure, the image files and the app.

Colours follow Okabe and Ito (safe for colour-blind readers); no two edge statuses share a dash and no two source
statuses a symbol, so that a picture printed in grey can still be read. ``symbol`` names a stroke drawing
(explorer.layout.glyphs): a glyph missing from a font would spoil the run of text around it. ``sign`` is the same in
plain text.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Look:
    """``dash`` holds lengths in pixels (on, off, ...); empty for a solid line. ``width`` is the edge's in pixels."""

    label: str
    light: str
    dark: str
    dash: tuple[int, ...]
    symbol: str
    sign: str
    width: float = 2.0

    def colour(self, theme: str) -> str:
        """The colour on this theme's background."""
        return self.dark if theme == "dark" else self.light


STATUSES: dict[str, Look] = {
    "flows": Look("gradient flows", "#0072B2", "#56B4E9", (), "check", "✓"),
    "zero": Look("zero (path whole)", "#007A59", "#2CCB9B", (9, 3), "ring", "0"),
    "zero-blocked": Look("zero, path cut (hidden None)", "#A84300", "#FFB27A", (8, 3, 2, 3), "barred-ring", "0!"),
    "vanishing": Look("vanishing", "#9A6B00", "#F0C04A", (12, 3), "down", "↓"),
    "exploding": Look("exploding", "#B0457F", "#E79AC4", (12, 3, 3, 3), "up", "↑"),
    "nan": Look("NaN", "#7A3FA0", "#C79BE8", (2, 2), "cross", "NaN"),
    "inf": Look("infinite", "#4B3CA8", "#A79BF5", (4, 2), "bowtie", "∞"),
    "none-blocked": Look("None: cut on the way", "#D55E00", "#FF8A4C", (6, 3), "barred", "⊘"),
    "none-disconnected": Look("None: not connected", "#5B6470", "#A3AEBA", (1, 4), "gap", "∅"),
    "not-trainable": Look("not trainable", "#76808A", "#8793A0", (2, 3), "dot", "·"),
    "raised": Look("backward pass raised", "#A3001E", "#FF6B7F", (3, 3), "bang", "!"),
    "unobserved": Look("not observed", "#6B6B6B", "#B5B5B5", (5, 5), "query", "?"),
    "unknown": Look("not known yet", "#8A949E", "#78838F", (), "query", "?", 1.5),
    "blocked": Look("no gradient (path cut)", "#D55E00", "#FF8A4C", (6, 3), "barred", "⊘"),
    "nondiff": Look("carries no gradient (int, bool, aside)", "#8A929C", "#8793A0", (2, 3), "dot", "·", 1.4),
}

EDGE_STATUSES: tuple[str, ...] = ("flows", "blocked", "nondiff", "unknown")


def look(status: str) -> Look:
    """The look of a status; an unheard-of one is a mistake in the program, so it fails loudly."""
    return STATUSES[status]

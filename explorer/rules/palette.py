"""The colours of surfaces and lines that carry no status: page, loop boxes by depth, cards by kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ThemeName = Literal["light", "dark", "print"]

FONT_FAMILY = "Lato, 'Source Sans 3', Inter, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"


@dataclass(frozen=True)
class CardLook:
    """How one kind of card is filled and outlined."""

    label: str
    fill: str
    line: str
    radius: float = 8.0


@dataclass(frozen=True)
class Theme:
    """``boxes``, ``box_lines`` and ``box_titles`` go by loop depth; deeper loops reuse the last."""

    page: str
    ink: str
    faint: str
    boxes: tuple[str, ...]
    box_lines: tuple[str, ...]
    box_titles: tuple[str, ...]
    cards: dict[str, CardLook]
    barrier_fill: str

    def depth(self, colours: tuple[str, ...], depth: int) -> str:
        """The colour for a loop of this depth (1 is outermost)."""
        return colours[min(depth, len(colours)) - 1]


def _cards(surface: str, line: str, slot: str, slot_line: str, quiet: str, quiet_line: str) -> dict[str, CardLook]:
    return {
        "op": CardLook("op", surface, line),
        "run": CardLook("several ops folded", surface, line),
        "slot": CardLook("loop variable", slot, slot_line, 11.0),
        "next": CardLook("its value for the next iteration", slot, slot_line, 3.0),
        "source": CardLook("input or variable", quiet, quiet_line),
        "loss": CardLook("loss", quiet, quiet_line),
        "loop": CardLook("loop, folded", slot, slot_line),
        "condition": CardLook("loop condition", surface, line),
    }


_LIGHT = Theme(
    page="#FFFFFF",
    ink="#17212B",
    faint="#55616D",
    boxes=("#F4F8FC", "#E6F0F9", "#D6E6F5", "#C9DDF0"),
    box_lines=("#B9D0E6", "#94B8DA", "#6C9DCB", "#4E86BA"),
    box_titles=("#2F6295", "#255A92", "#174F88", "#0F4479"),
    cards=_cards("#FFFFFF", "#8FA6BC", "#EAF5F0", "#4FA98A", "#F3F4F6", "#9AA4AF"),
    barrier_fill="#FDEEE6",
)
_DARK = Theme(
    page="#0E141B",
    ink="#E8EEF4",
    faint="#A3B0BD",
    boxes=("#121B25", "#172431", "#1C2E3F", "#22384D"),
    box_lines=("#2C4257", "#3A5A78", "#4C769C", "#5E90BC"),
    box_titles=("#8DB8E0", "#9CC5EA", "#ADD2F3", "#BFDDF8"),
    cards=_cards("#18222D", "#5B7690", "#12332B", "#4FB394", "#1D2630", "#6D7A87"),
    barrier_fill="#3A2015",
)
_PRINT = Theme(
    page="#FFFFFF",
    ink="#000000",
    faint="#333333",
    boxes=("#FFFFFF", "#FAFAFA", "#F4F4F4", "#EEEEEE"),
    box_lines=("#777777", "#666666", "#555555", "#444444"),
    box_titles=("#000000", "#000000", "#000000", "#000000"),
    cards=_cards("#FFFFFF", "#555555", "#FFFFFF", "#333333", "#F2F2F2", "#555555"),
    barrier_fill="#FFFFFF",
)

THEMES: dict[ThemeName, Theme] = {"light": _LIGHT, "dark": _DARK, "print": _PRINT}

# Cividis: for every kind of colour vision the same scale, from dark (small) to bright (large), in grey prints too.
HEAT = (
    "#00224E", "#123570", "#3B496C", "#575D6D", "#707173", "#8A8678", "#A59C74", "#C3B369", "#E1CC55", "#FEE838",
)  # fmt: skip


def heat(share: float) -> str:
    """The colour at a place of the scale, 0 (smallest) to 1 (largest)."""
    at = min(max(share, 0.0), 1.0) * (len(HEAT) - 1)
    low = min(int(at), len(HEAT) - 2)
    ends = [[int(colour[place : place + 2], 16) for place in (1, 3, 5)] for colour in HEAT[low : low + 2]]
    mixed = [round(a + (b - a) * (at - low)) for a, b in zip(*ends, strict=True)]
    return "#{:02X}{:02X}{:02X}".format(*mixed)


def ink_on(share: float) -> str:
    """Ink that can be read on the colour at this place of the scale."""
    return "#FFFFFF" if share < 0.55 else "#17212B"


def dimmed(colour: str, page: str) -> str:
    """A colour that has all but gone into the page."""
    ends = [[int(each[place : place + 2], 16) for place in (1, 3, 5)] for each in (colour, page)]
    return "#{:02X}{:02X}{:02X}".format(*(round(a * 0.2 + b * 0.8) for a, b in zip(*ends, strict=True)))

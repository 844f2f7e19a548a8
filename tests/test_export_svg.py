"""Pictures as files: well formed, the same twice, readable without colour, honest about what is missing."""

from __future__ import annotations

import struct
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from explorer.export import png as png_module
from explorer.export.files import WRITERS, export
from explorer.export.png import png, shipped_fonts
from explorer.export.svg import svg
from explorer.layout.glyphs import GLYPHS
from explorer.layout.nest import decide
from explorer.layout.place import place
from explorer.layout.values import Scene
from explorer.model.case import BadInput
from explorer.rules.palette import THEMES, ThemeName
from explorer.rules.statuses import EDGE_STATUSES, STATUSES
from tests import exploration_samples as samples
from tests.test_layout_nest import SAMPLES, decided

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def scene() -> Scene:
    return place(decide(samples.nested_lstm("integer_cast")))


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_is_well_formed(name: str, theme: str) -> None:
    root = ET.fromstring(svg(place(decided(name)), theme, "a < b & c", 'cut at "Cast"'))
    assert root.tag == f"{SVG}svg"


def test_the_same_scene_gives_the_same_bytes(scene: Scene) -> None:
    assert svg(scene, "dark", "t", "v") == svg(scene, "dark", "t", "v")


def test_every_group_has_a_title_and_an_id_leads_back_to_the_card(scene: Scene) -> None:
    root = ET.fromstring(svg(scene))
    drawn = [group for group in root.iter(f"{SVG}g") if group.get("transform") is None]
    assert all(group.find(f"{SVG}title") is not None for group in drawn)
    ids = {group.get("data-id") for group in drawn} - {None}
    assert ids >= {card.id for card in scene.cards}
    assert ids >= {"loop:map_fn", "loop:map_fn/lstm", "barrier:b0"}


def test_words_stay_words(scene: Scene) -> None:
    root = ET.fromstring(svg(scene, "light", "model.py", "x is cut at Cast"))
    words = {"".join(text.itertext()) for text in root.iter(f"{SVG}text")}
    expected = {
        "Keras LSTM",
        "7 iterations · model.py:12",
        "1 barrier",
        "integer dtype",
        "model.py:17",
        "Legend",
        "gradient flows",
    }
    assert words >= expected
    assert any(word.endswith("x is cut at Cast") for word in words)


def test_the_legend_tells_what_is_shown_and_nothing_else() -> None:
    healthy = svg(place(decide(samples.nested_lstm())))
    assert STATUSES["flows"].label in healthy
    assert STATUSES["blocked"].label not in healthy
    assert "barrier" not in healthy
    assert "unrolled Python loop" in svg(place(decide(samples.unrolled())))


def test_texts_that_xml_forbids_are_replaced(scene: Scene) -> None:
    bad = replace(scene, cards=(replace(scene.cards[0], lines=("a\x00b<", "c"), hint="\x1b[0m"),), edges=(), marks=())
    assert "a\ufffdb<" in {"".join(text.itertext()) for text in ET.fromstring(svg(bad)).iter(f"{SVG}text")}


def test_a_long_verdict_is_wrapped_not_cut(scene: Scene) -> None:
    verdict = "word " * 120 + "end"
    words = " ".join("".join(part.itertext()) for part in ET.fromstring(svg(scene, verdict=verdict)).iter(f"{SVG}text"))
    assert words.count("word") >= 120


def test_no_two_statuses_look_the_same() -> None:
    edges = [(STATUSES[key].dash, STATUSES[key].width) for key in EDGE_STATUSES]
    assert len(set(edges)) == len(edges), "edges must differ without colour"
    sources = {key: look.symbol for key, look in STATUSES.items() if key not in (*EDGE_STATUSES, "unobserved")}
    assert len(set(sources.values())) == len(sources), "sources must differ without colour"
    assert {look.symbol for look in STATUSES.values()} <= set(GLYPHS)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_status_colours_stand_out_from_the_page(theme: ThemeName) -> None:
    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        r, g, b = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    page = luminance(THEMES[theme].page)
    for key, look in STATUSES.items():
        one, other = sorted((page, luminance(look.colour(theme))))
        assert (other + 0.05) / (one + 0.05) >= 3, key


def test_png_has_the_size_asked_for(scene: Scene) -> None:
    small, large = (png(svg(scene), scale) for scale in (1, 2))
    assert small[:8] == large[:8] == b"\x89PNG\r\n\x1a\n"
    sizes = [struct.unpack(">II", picture[16:24]) for picture in (small, large)]
    assert sizes[1][0] == pytest.approx(2 * sizes[0][0], abs=2)


def test_png_writes_text_with_the_fonts_that_pip_brought() -> None:
    assert len(shipped_fonts()) == 2
    page = '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="20" font-family="Lato">{}</svg>'
    text = '<text x="2" y="15" font-size="14">Tanh</text>'
    assert png(page.format(text), 1) != png(page.format(""), 1)


def test_without_any_font_the_message_names_the_package(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(png_module, "shipped_fonts", lambda: ())
    monkeypatch.setattr(png_module, "has_system_font", lambda: False)
    with pytest.raises(BadInput, match="fonts-dejavu-core"):
        png(svg(scene))


@pytest.mark.parametrize("suffix", WRITERS)
def test_export_writes_what_the_suffix_says(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"picture{suffix}"
    export(samples.branches(), path, place, "branches", "all flow")
    start = {
        ".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF-", ".html": b"<!doctype html>", ".dot": b"digraph",
        ".graphml": b"<?xml", ".json": b"{",
    }[suffix]  # fmt: skip
    assert path.read_bytes().startswith(start)


@pytest.mark.parametrize("name", ["picture.bmp", "picture", "picture.svg.zip"])
def test_an_unknown_suffix_is_refused_before_any_work(tmp_path: Path, name: str) -> None:
    def never(_: object) -> Scene:
        raise AssertionError("placed before the suffix was looked at")

    with pytest.raises(BadInput, match=r"ends in \.png or \.svg or"):
        export(samples.branches(), tmp_path / name, never)
    assert not (tmp_path / name).exists()


def test_a_folder_that_is_not_there_is_told_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="Cannot write"):
        export(samples.branches(), tmp_path / "no" / "picture.svg", place)


def test_a_run_without_a_graph_cannot_be_drawn(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="before the graph was captured"):
        export(replace(samples.branches(), snapshot=None), tmp_path / "picture.svg", place)

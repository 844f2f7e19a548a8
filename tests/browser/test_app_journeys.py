"""Journeys of a reader through the real app in headless Chromium: a real server, real TensorFlow."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from explorer.rules.palette import THEMES, ThemeName
from tests.browser.steps import PATIENCE, Visit, arrived, choose, click_on, download, ranges, run, words

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


def test_a_newcomer_sees_the_picture_without_doing_anything(visit: Visit) -> None:
    page = visit()
    arrived(page, "Gradient reaches all 5 sources.")
    assert "map_fn" in words(page)
    assert "Keras RNN" in words(page)
    assert "7 iterations" in words(page)


def test_another_strategy_gives_another_picture(visit: Visit) -> None:
    page = visit()
    arrived(page, "Gradient reaches all 5 sources.")
    choose(page, "Strategy", "Python loops with GradientTape")
    expect(page.get_by_text("The settings have changed")).to_be_visible()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Python loops with GradientTape · cell LSTM")).to_be_visible(timeout=PATIENCE)
    arrived(page, "Gradient reaches all 5 sources.")
    expect(page.locator(".explorer-graph .cartesianlayer")).to_contain_text("Python for × 3", timeout=PATIENCE)
    assert "target=python_loop_tape" in page.url


def test_a_breaker_shows_its_barrier_and_a_click_tells_why(visit: Visit) -> None:
    page = visit("/?target=map_fn_keras_rnn")
    choose(page, "Breaker", "integer cast")
    run(page, "cut at Cast, map_fn_keras_rnn.py:34, inner loop")
    details = page.locator(".st-key-details")
    page.locator(".modebar-btn[data-title='Show the whole picture']").click()
    page.wait_for_function(
        """() => {
            const g = document.querySelector(".explorer-graph"), axis = g?._fullLayout?.xaxis;
            return axis && axis.range[1] - axis.range[0] >= g.__data.size[0] - 1;
        }"""
    )
    click_on(page, """(b => [b[1] + 60, b[2] + 14])(d.targets.find(t => t[0].startsWith("loop:")))""")
    expect(details).to_contain_text("Loop of depth 1", timeout=PATIENCE)
    click_on(page, "d.marks[0].slice(1)")
    expect(details).to_contain_text("integers have no gradient", timeout=PATIENCE)
    expect(details).to_contain_text("map_fn_keras_rnn.py:34")
    expect(details).to_contain_text("Keep the path in floating point")
    expect(details.locator("pre .hit")).to_contain_text("tf.cast(tf.cast(")


def test_a_click_keeps_the_zoom(visit: Visit) -> None:
    page = visit()
    arrived(page, "Gradient reaches all 5 sources.")
    page.locator(".modebar-btn[data-title='Zoom in']").click()
    before = ranges(page)
    middle = "(([l, r, b, t]) => d.targets.find(c => c[1] > l && c[1] + c[3] < r && c[2] > t && c[2] + c[4] < b))"
    seen = f"{middle}([...g._fullLayout.xaxis.range, ...g._fullLayout.yaxis.range])"
    click_on(page, f"(c => [c[1] + c[3] / 2, c[2] + c[4] / 2])({seen})")
    expect(page.locator(".st-key-details")).not_to_contain_text("Click a loop", timeout=PATIENCE)
    assert ranges(page) == pytest.approx(before)


def test_the_downloads_open(visit: Visit, tmp_path: Path) -> None:
    page = visit()
    arrived(page, "Gradient reaches all 5 sources.")

    page.get_by_role("button", name="Export").click()

    drawing = ElementTree.parse(download(page, "SVG", tmp_path)).getroot()
    assert drawing.tag.endswith("svg")
    assert float(drawing.get("width", "0")) > 600
    assert "Keras RNN" in "".join(drawing.itertext())
    picture = download(page, "PNG", tmp_path).read_bytes()
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(picture[16:20], "big") > 1200
    assert int.from_bytes(picture[20:24], "big") > 600
    assert download(page, "PDF", tmp_path).read_bytes().startswith(b"%PDF-")
    for label in ("HTML", "Report"):
        assert_alone(page, download(page, label, tmp_path), "Keras RNN")
    assert download(page, "DOT", tmp_path).read_text(encoding="utf-8").startswith("digraph")
    assert ElementTree.parse(download(page, "GraphML", tmp_path)).getroot().tag.endswith("graphml")
    document: dict[str, Any] = json.loads(download(page, "JSON", tmp_path).read_text(encoding="utf-8"))
    assert (document["version"], document["outcome"]) == (1, "done")


def assert_alone(page: Page, file: Path, word: str) -> None:
    """Opened from the disk it shows the word, and asks for nothing else."""
    other = page.context.new_page()
    asked: list[str] = []
    other.on("request", lambda request: asked.append(request.url))
    other.goto(file.as_uri())
    expect(other.locator("svg").first).to_contain_text(word)
    assert asked == [file.as_uri()]
    other.close()


def test_bad_input_is_one_sentence_and_the_picture_stays(visit: Visit) -> None:
    page = visit()
    arrived(page, "Gradient reaches all 5 sources.")
    field = page.get_by_label("batch: signature")
    field.fill("x")
    field.press("Enter")
    complaint = page.get_by_test_id("stSidebar").get_by_test_id("stAlert")
    expect(complaint).to_contain_text("not a dimension", timeout=PATIENCE)
    expect(complaint).to_have_count(1)
    assert "Keras RNN" in words(page)
    assert page.get_by_test_id("stException").count() == 0


def test_settings_that_are_folded_away_still_hold(visit: Visit) -> None:
    page = visit("/?target=nested_while_loop")
    folded = page.get_by_text("Device, seed, limits, checks")
    folded.click()
    page.get_by_label("Seed").fill("11")
    page.get_by_label("Seed").press("Enter")
    expect(page).to_have_url(re.compile("seed=11"), timeout=PATIENCE)
    folded.click()
    expect(page.get_by_label("Seed")).to_have_count(0)
    run(page, "Gradient reaches all")
    expect(page).to_have_url(re.compile("seed=11"))


def test_cancel_ends_a_run_that_would_take_long(visit: Visit) -> None:
    page = visit("/?target=python_loop_tape&size=x=3,5,100000,10")
    page.get_by_role("button", name="Run Shortcut Ctrl").click()
    cancel = page.get_by_role("button", name="Cancel")
    expect(cancel).to_be_enabled(timeout=PATIENCE)
    cancel.click()
    expect(page.get_by_test_id("stAlert").filter(has_text="Cancelled")).to_be_visible(timeout=PATIENCE)
    expect(cancel).to_be_disabled(timeout=PATIENCE)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_picture_follows_the_theme(visit: Visit, theme: ThemeName) -> None:
    page = visit(dark=theme == "dark")
    arrived(page, "Gradient reaches all 5 sources.")
    paper = page.evaluate("document.querySelector('.explorer-graph')._fullLayout.paper_bgcolor")
    assert paper.lower() == THEMES[theme].page.lower()
    page_colour = page.locator(".stApp").evaluate("node => getComputedStyle(node).backgroundColor")
    assert page_colour == "rgb({}, {}, {})".format(*bytes.fromhex(THEMES[theme].page[1:]))


def test_the_map_of_iterations_leads_to_the_variable(visit: Visit, tmp_path: Path) -> None:
    page = visit("/?target=nested_while_loop&option=scale=0.1")
    run(page, "Gradient reaches all 5 sources.")
    page.get_by_role("tab", name="Iterations").click()
    panel = page.get_by_role("tabpanel", name="Iterations")
    expect(panel).to_contain_text("Going back, the gradient shrinks by a factor of", timeout=PATIENCE)
    cells = panel.locator(".explorer-heat .nsewdrag").first
    expect(cells).to_be_visible(timeout=PATIENCE)
    cells.scroll_into_view_if_needed()
    with page.expect_download() as waiting:
        panel.get_by_role("button", name="Map as SVG").click()
    waiting.value.save_as(tmp_path / "map.svg")
    assert "gradient of" in "".join(ElementTree.parse(tmp_path / "map.svg").getroot().itertext())
    cells.hover()
    expect(panel.locator(".hovertext")).to_contain_text("iteration", timeout=PATIENCE)
    cells.click()
    expect(page.locator(".st-key-details")).to_contain_text("Loop variable", timeout=PATIENCE)
    expect(page.locator(".st-key-details")).to_contain_text("by iteration")

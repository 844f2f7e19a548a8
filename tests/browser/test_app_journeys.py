"""Journeys of a reader through the real app in headless Chromium: a real server, real TensorFlow."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from explorer.rules.palette import THEMES, ThemeName

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

ROOT = Path(__file__).resolve().parents[2]
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
PATIENCE = 60_000  # milliseconds; a shared machine may be ten times slower than a quiet one

Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The app, served as the README says, but for the port and the watching of files."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = ["--server.port", str(port), "--server.address", "127.0.0.1", "--server.headless", "true"]
    settings += ["--server.fileWatcherType", "none"]  # an editor at work meanwhile must not ask for a rerun
    server = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", *settings], cwd=ROOT, env=os.environ | {"NO_COLOR": "1"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert server.stdout is not None
    try:
        for line in server.stdout:  # printed when the server answers
            if "URL:" in line:
                break
        url = f"http://127.0.0.1:{port}"
        urllib.request.urlopen(f"{url}/_stcore/health", timeout=60).close()
        yield url
    finally:
        server.terminate()
        server.wait(60)
        server.stdout.close()


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def visit(address: str, browser: Browser) -> Iterator[Visit]:
    """Opens the page in a window of its own. Nothing may be fetched from anywhere else, and no script may fail."""
    asked: list[str] = []
    failed: list[str] = []
    contexts = []

    def open_page(path: str = "/", dark: bool = False) -> Page:
        context = browser.new_context(
            viewport={"width": 1500, "height": 950}, color_scheme="dark" if dark else "light", accept_downloads=True
        )
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.goto(address + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [
        url for url in asked if not url.startswith((address, address.replace("http", "ws"), "blob:", "data:"))
    ] == []
    assert failed == []


def run(page: Page, verdict: str) -> None:
    """Press Run, and wait for this sentence with its picture."""
    expect(page.get_by_role("button", name="Cancel")).to_be_disabled(timeout=PATIENCE)
    page.get_by_role("button", name="Run Shortcut Ctrl").click()
    arrived(page, verdict)


def arrived(page: Page, verdict: str) -> None:
    """Wait for this sentence, and for the end of the run: until then the picture may be replaced once more."""
    expect(page.get_by_test_id("stAlert").filter(has_text=verdict).first).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_role("button", name="Cancel")).to_be_disabled(timeout=PATIENCE)
    page.wait_for_selector(".js-plotly-plot .nsewdrag")
    expect(page.locator(".explorer-graph")).to_be_visible(timeout=PATIENCE)
    page.wait_for_selector("[data-test-script-state=notRunning]")
    page.evaluate("document.querySelector('.explorer-graph').__turn")  # the latest drawing


def words(page: Page) -> str:
    """Everything written in the picture."""
    return str(page.locator(".explorer-graph .cartesianlayer").evaluate("node => node.textContent"))


def choose(page: Page, label: str, choice: str) -> None:
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=choice).click()


def click_on(page: Page, place: str) -> None:
    """Click where ``place``, JavaScript over the drawing ``g`` and its data ``d``, says: [x, y] of the picture."""
    x, y = page.evaluate(
        """place => {
            const g = document.querySelector(".explorer-graph"), d = g.__data, box = g.getBoundingClientRect();
            const [x, y] = new Function("g", "d", "return " + place)(g, d), { xaxis, yaxis } = g._fullLayout;
            return [box.left + xaxis._offset + xaxis.d2p(x), box.top + yaxis._offset + yaxis.d2p(y)];
        }""",
        place,
    )
    page.mouse.click(x, y)


def ranges(page: Page) -> list[float]:
    found: list[float] = page.evaluate(
        """() => { const l = document.querySelector(".explorer-graph")._fullLayout;
                   return [...l.xaxis.range, ...l.yaxis.range]; }"""
    )
    return found


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

    def download(label: str) -> Path:
        with page.expect_download() as waiting:
            page.get_by_role("button", name=label, exact=True).click()
        path = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(path)
        return path

    drawing = ElementTree.parse(download("SVG")).getroot()
    assert drawing.tag.endswith("svg")
    assert float(drawing.get("width", "0")) > 600
    assert "Keras RNN" in "".join(drawing.itertext())
    picture = download("PNG").read_bytes()
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(picture[16:20], "big") > 1200
    assert int.from_bytes(picture[20:24], "big") > 600
    assert download("PDF").read_bytes().startswith(b"%PDF-")
    for label in ("HTML", "Report"):
        assert_alone(page, download(label), "Keras RNN")
    assert download("DOT").read_text(encoding="utf-8").startswith("digraph")
    assert ElementTree.parse(download("GraphML")).getroot().tag.endswith("graphml")
    document: dict[str, Any] = json.loads(download("JSON").read_text(encoding="utf-8"))
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

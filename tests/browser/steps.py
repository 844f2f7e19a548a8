"""What every journey does: open, choose, run, wait until the page has settled, click into the picture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

PATIENCE = 60_000  # milliseconds; a shared machine may be ten times slower than a quiet one

Visit = Callable[..., Page]


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


def download(page: Page, label: str, folder: Path) -> Path:
    """Press the button of this name, and keep what comes under the name it comes with."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name=label, exact=True).click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path

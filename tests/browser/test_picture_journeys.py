"""A journey through the picture: the next barrier, its path, a folded loop, an overlay, a search."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import PATIENCE, Visit, ranges, run, words

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def settled(page: Page, until: str) -> None:
    """Wait until ``until``, JavaScript over the drawing ``g`` and its data ``d``, holds for the latest drawing."""
    page.wait_for_function(
        """until => { const g = document.querySelector(".explorer-graph"), d = g?.__data;
                      return d && new Function("g", "d", "return " + until)(g, d); }""",
        arg=until,
        timeout=PATIENCE,
    )
    page.wait_for_selector("[data-test-script-state=notRunning]")
    page.evaluate("document.querySelector('.explorer-graph').__turn")


def colours(page: Page) -> set[str]:
    """The colours of the words in the picture."""
    found: list[str] = page.evaluate(
        """() => document.querySelector(".explorer-graph").data
                         .filter(trace => trace.mode === "text").map(trace => trace.textfont.color)"""
    )
    return set(found)


def test_from_the_barrier_to_its_path_to_a_fold_to_a_search(visit: Visit) -> None:
    page = visit("/?target=map_fn_keras_rnn&breaker=integer_cast")
    run(page, "cut at Cast, map_fn_keras_rnn.py:34, inner loop")
    plain = colours(page)
    page.keyboard.press("n")
    expect(page.get_by_text("Lit: the path cut here")).to_be_visible(timeout=PATIENCE)
    settled(page, "d.goal && d.goal[0] === 1")
    assert colours(page) - plain  # what is aside has gone into the page
    page.keyboard.press("Escape")
    expect(page.get_by_text("Lit: the path cut here")).to_have_count(0, timeout=PATIENCE)

    page.locator(".modebar-btn[data-title='Zoom in']").click()
    before = ranges(page)
    page.get_by_text("Type and shape", exact=True).click()
    expect(page.locator(".explorer-graph .cartesianlayer")).to_contain_text("float32", timeout=PATIENCE)
    assert ranges(page) == pytest.approx(before)

    page.keyboard.press("u")  # from the barrier to its loop, and to the one around it
    expect(page.locator(".st-key-details")).to_contain_text("Loop of depth 2", timeout=PATIENCE)
    page.keyboard.press("u")
    expect(page.locator(".st-key-details")).to_contain_text("Loop of depth 1", timeout=PATIENCE)
    before = ranges(page)
    page.get_by_role("button", name="Fold", exact=True).click()
    settled(page, "d.targets.filter(t => t[0].startsWith('loop:')).length === 1")
    after = ranges(page)
    assert after[1] - after[0] == pytest.approx(before[1] - before[0])

    page.keyboard.press("/")
    page.keyboard.type("MatMul fun")  # letters that are keys elsewhere
    field = page.get_by_label("Search the picture")
    expect(field).to_have_value("MatMul fun")
    field.fill("MatMul")
    field.press("Enter")
    expect(page.get_by_text("folded away in “map_fn”")).to_be_visible(timeout=PATIENCE)
    assert "Keras RNN" not in words(page)

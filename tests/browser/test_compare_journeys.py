"""Journeys through the page that compares strategies: rows as they come, every file it gives, a comparison stopped."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import PATIENCE, Visit, download

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]

SMALL = "/?target=nested_while_loop&size=x%3D2%2C2%2C3%2C10"
LONG = 6 * PATIENCE  # a comparison is two dozen runs, each in a process of its own
NAMES = ("Nested while_loop by hand", "Outer dimension folded into the batch")


def opened(visit: Visit) -> Page:
    """The page with two quick strategies chosen."""
    page = visit(SMALL)
    page.get_by_text("Compare strategies").click()
    chosen = page.get_by_test_id("stMultiSelect")
    expect(chosen).to_be_visible(timeout=PATIENCE)
    for name in ("map_fn over a Keras RNN", "Python loops with GradientTape", "map_fn over dynamic_rnn", "tf.scan"):
        tag = chosen.locator("[data-baseweb=tag]").filter(has_text=name)
        if tag.count():
            tag.get_by_role("button").first.click()
            expect(tag).to_have_count(0, timeout=PATIENCE)
    return page


def test_two_strategies_are_compared_and_every_file_opens(visit: Visit, tmp_path: Path) -> None:
    page = opened(visit)
    page.get_by_role("button", name="Compare", exact=True).click()
    advice = page.get_by_test_id("stAlert").filter(has_text="a step with gradients takes")
    expect(advice).to_be_visible(timeout=LONG)
    expect(page.get_by_role("button", name="Cancel").last).to_be_disabled(timeout=LONG)
    expect(page.get_by_test_id("stDataFrame")).to_be_visible()
    assert page.get_by_test_id("stException").count() == 0

    rows = list(csv.DictReader(io.StringIO(download(page, "CSV", tmp_path).read_text(encoding="utf-8"))))
    assert {row["title"] for row in rows} >= set(NAMES)
    assert all(row["agrees"] == "True" for row in rows)
    document = json.loads(download(page, "JSON", tmp_path).read_text(encoding="utf-8"))
    assert [row["strategy"] for row in document["rows"]] == [row["strategy"] for row in rows]
    assert document["done"] == document["total"]
    words = "".join(ElementTree.parse(download(page, "SVG", tmp_path)).getroot().itertext())
    assert all(name in words for name in NAMES)
    assert download(page, "PNG", tmp_path).read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_a_comparison_that_is_stopped_keeps_what_it_has(visit: Visit) -> None:
    page = opened(visit)
    page.get_by_role("button", name="Compare all").click()
    progress = page.get_by_test_id("stProgress")
    expect(progress).to_be_visible(timeout=PATIENCE)
    stop = page.get_by_role("button", name="Cancel").last
    expect(stop).to_be_enabled(timeout=PATIENCE)
    stop.click()
    expect(progress).to_have_count(0, timeout=PATIENCE)
    expect(stop).to_be_disabled(timeout=PATIENCE)
    expect(page.get_by_role("button", name="Compare", exact=True)).to_be_enabled()
    assert page.get_by_test_id("stException").count() == 0

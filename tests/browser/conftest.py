"""The app in a real server, and a browser that may fetch nothing from elsewhere and run no failing script."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.steps import PATIENCE, Visit

ROOT = Path(__file__).resolve().parents[2]
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


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

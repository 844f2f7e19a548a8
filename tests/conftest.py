"""What every test may lean on: repeatable random examples, a quiet TensorFlow, the browser."""

from __future__ import annotations

import os
import shutil

import pytest
from hypothesis import settings

# The same examples on every run: a failure seen in CI is the failure seen at the desk. No deadlines: on two shared
# cores they lie.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser's program. A desk without one skips these tests; CI installs it, so there it is a failure."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None and os.environ.get("CI"):
        pytest.fail("Chromium is not installed; .ci/run should have installed it")
    if found is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    return found

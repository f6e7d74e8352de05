"""Pages in Chromium, where it is installed: how tests start it, open a page, and ask it."""

from __future__ import annotations

import base64
import hashlib
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((found for name in NAMES if (found := shutil.which(name))), None)
DRIVER = shutil.which("chromedriver")
OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND", "--no-first-run"]
LABEL = "document.querySelector('#live canvas[role=img]').getAttribute('aria-label')"

driven = pytest.mark.skipif(DRIVER is None, reason="chromedriver is not installed")
CELL = "document.querySelector('#live tbody td')"  # a table of numbers is there
in_chromium = [pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"), pytest.mark.needs("selenium")]


def digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def opened(browser: Any, place: Path, state: str = "") -> Any:
    browser.get("about:blank")
    browser.get_log("browser")
    browser.get(f"{place.as_uri()}{state}")
    return browser


def by_id(browser: Any, name: str) -> Any:
    return browser.find_element("id", name)


def assert_quiet(browser: Any) -> None:
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert [entry["message"] for entry in browser.get_log("browser")] == []


def wait(browser: Any, script: str, seconds: float = 20.0) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := browser.execute_script(f"return {script}"):
            return found
        time.sleep(0.05)
    raise AssertionError(f"{script} is still false after {seconds} s")


def number(text: str) -> float:
    """A number as a page writes it, with a true minus."""
    return float(text.replace("\u2212", "-"))


def step_is(browser: Any, number: int) -> None:
    """Wait until the clock of the page shows this step."""
    wait(browser, f"document.getElementById('clock').textContent.endsWith('step {number}')")


ANSWERS = """const done = arguments[arguments.length - 1];  // the longest that the tab did not answer, in ms
let longest = 0, before = performance.now();
const end = before + arguments[0];
const ask = () => {
  const now = performance.now();
  longest = Math.max(longest, now - before);
  before = now;
  if (now < end) setTimeout(ask, 0); else done(longest);
};
ask();"""

"""Checks the built site: links, and in Chromium accessibility (axe-core), errors in the console, requests to elsewhere,
and pages that do not open at their top.

    python docs/site/check.py html                          # links alone
    npm install axe-core
    python docs/site/check.py html node_modules/axe-core/axe.min.js

Prints one line for each fault and exits with 1 if there is one. It needs selenium, Chromium and chromedriver for the
second form. The frame with the live page is a page of its own, and has tests of its own (`tests/pages`).
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path
from urllib.parse import unquote, urlsplit

SIZES = ((1400, 900), (390, 844))  # a desktop and a phone
AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, {iframes: false, resultTypes: ["violations"]}).then(found => done(found.violations.map(
    each => each.id + ": " + each.help + " (" + each.nodes.length + "): " + each.nodes[0].html.slice(0, 160))));
"""
OUTSIDE = "return performance.getEntriesByType('resource').map(each => each.name).filter(name => /^https?:/.test(name))"


class Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        self.anchors.update(value for key in ("id", "name") if (value := found.get(key)))
        self.links += [value for key in ("href", "src") if (value := found.get(key)) is not None]


def broken_links(site: Path) -> Iterator[str]:
    """Each link of a page to a file or an anchor of the site that is not there."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        for link in dict.fromkeys(page.links):
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            goal = (path.parent / unquote(address.path)).resolve() if address.path else path.resolve()
            known = pages.get(site / goal.relative_to(site.resolve())) if goal.is_relative_to(site.resolve()) else None
            if not goal.exists():
                yield f"{path.relative_to(site)}: there is no {link}"
            elif known and address.fragment and unquote(address.fragment) not in known.anchors:
                yield f"{path.relative_to(site)}: there is no place {link}"


def faults(site: Path, axe: Path, only: str) -> Iterator[str]:
    """Faults of each page by axe-core, its console and its requests, on a desktop and on a phone, light and dark."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--allow-file-access-from-files"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = shutil.which("chromedriver")  # without a path selenium looks for one elsewhere
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=driver))
    script = axe.read_text(encoding="utf-8")
    try:
        for path in sorted(site.rglob(only)):
            for size, theme in zip(SIZES, ("light", "dark"), strict=True):
                browser.set_window_size(*size)
                browser.get(path.resolve().as_uri())
                browser.execute_script("document.body.dataset.theme = arguments[0]", theme)
                browser.execute_script(script)
                where = f"{path.relative_to(site)} ({size[0]} wide, {theme})"
                yield from (f"{where}: {each}" for each in browser.execute_async_script(AXE))
                if moved := browser.execute_script("return scrollY"):
                    yield f"{where}: opens {moved} pixels down"
                yield from (f"{where}: asks {each}" for each in browser.execute_script(OUTSIDE))
                yield from (
                    f"{where}: {each['message']}" for each in browser.get_log("browser") if each["level"] == "SEVERE"
                )
    finally:
        browser.quit()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=Path, help="the folder of the built site")
    parser.add_argument("axe", type=Path, nargs="?", help="axe.min.js of the npm package axe-core")
    parser.add_argument("--only", default="*.html", help="pages to be opened, such as 'faq.html'")
    given = parser.parse_args()
    found = 0
    seen = faults(given.site, given.axe, given.only) if given.axe else ()
    for fault in chain(broken_links(given.site), seen):
        print(fault, flush=True)
        found += 1
    print(f"{found} faults on {len(list(given.site.rglob('*.html')))} pages")
    return found > 0


if __name__ == "__main__":
    sys.exit(main())

"""Pages in Firefox, where it is installed: the numbers, the worker and the silence of its console.

Firefox is driven by its own protocol (Marionette: JSON after its length and a colon): Debian has no geckodriver.
"""

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .chromium import ANSWERS

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
HEADLESS = ["--headless", "--no-remote", "--marionette", "--remote-allow-system-access"]
CONSOLE = """const said = Services.console.getMessageArray().map(String).filter(each => /"(file|blob):/.test(each));
Services.console.reset(); return said;"""

pytestmark = [pytest.mark.skipif(FIREFOX is None, reason="Firefox is not installed"), pytest.mark.thorough]


class Firefox:
    """A session of a Firefox that has just been started."""

    def __init__(self, profile: Path) -> None:
        port, end = profile / "MarionetteActivePort", time.monotonic() + 60.0
        while not port.exists() and time.monotonic() < end:
            time.sleep(0.1)
        self._socket = socket.create_connection(("127.0.0.1", int(port.read_text())), timeout=60.0)
        self._answers = self._socket.makefile("rb")
        self._read()
        self.ask("WebDriver:NewSession")

    def _read(self) -> Any:
        size = b""
        while (digit := self._answers.read(1)) != b":":
            assert digit, "Firefox has ended"
            size += digit
        return json.loads(self._answers.read(int(size)))

    def ask(self, command: str, **values: Any) -> Any:
        asked = json.dumps([0, 1, command, values]).encode()
        self._socket.sendall(b"%d:%b" % (len(asked), asked))
        *_, error, answer = self._read()
        assert error is None, error
        return answer

    def run(self, body: str, *values: Any, command: str = "WebDriver:ExecuteScript") -> Any:
        return self.ask(command, script=body, args=values, sandbox=None)["value"]

    def opened(self, place: Path, state: str = "") -> None:
        self.ask("WebDriver:Navigate", url="about:blank")
        self.console()
        self.ask("WebDriver:Navigate", url=f"{place.as_uri()}{state}")

    def wait(self, script: str, seconds: float = 30.0) -> Any:
        end = time.monotonic() + seconds
        while not (found := self.run(f"return {script}")):
            assert time.monotonic() < end, f"{script} is still false after {seconds} s"
            time.sleep(0.05)
        return found

    def console(self) -> Any:
        """The messages of pages since the last call, and none of Firefox itself."""
        self.ask("Marionette:SetContext", value="chrome")
        said = self.run(CONSOLE)
        self.ask("Marionette:SetContext", value="content")
        return said


@pytest.fixture(scope="module")
def firefox(tmp_path_factory) -> Iterator[Firefox]:
    profile = tmp_path_factory.mktemp("profile")
    (profile / "user.js").write_text('user_pref("marionette.port", 0);\n')
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([FIREFOX, *HEADLESS, "--profile", str(profile)], **quiet)
    try:
        yield Firefox(profile)
    finally:
        process.terminate()
        process.wait()


def test_particles_move_and_the_console_is_empty(firefox, page):
    firefox.opened(page, "#particles=50")
    means = "[...document.querySelectorAll('#live tbody td:nth-child(2)')].map(each => each.textContent).join()"
    before = firefox.wait(means)
    firefox.run("document.getElementById('play').click()")
    firefox.wait(f"{means} !== '{before}'")
    assert firefox.run("return performance.getEntriesByType('resource').length") == 0
    assert firefox.console() == []
    firefox.run("setTimeout(() => { throw new Error('the control'); }, 0)")
    time.sleep(0.2)
    assert "the control" in firefox.console()[0]


@pytest.mark.parametrize("state", ["kl_weight=1e-30", "loss=tan(1/t)*1e300", "variance=1e12&mmd_weight=1e6"])
def test_no_address_holds_the_tab(firefox, page, state):
    firefox.opened(page, f"#{state}")
    assert firefox.run(ANSWERS, 1000, command="WebDriver:ExecuteAsyncScript") < 1000.0
    firefox.run("document.getElementById('step').click()")
    firefox.wait("document.getElementById('clock').textContent.endsWith('step 1')")
    firefox.wait("!document.querySelector('#live tbody').textContent.includes('is being computed')")
    assert firefox.run("return document.querySelector('#live .error').textContent") == ""
    assert firefox.console() == []

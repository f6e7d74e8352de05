"""Downloads from a server on this machine: over one scheme alone, within limits, and one sentence on failure."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from particlegvi.datasets import fetching


class Server(BaseHTTPRequestHandler):
    """Answers each path in a way of its own."""

    def do_GET(self):
        place, there = self.path[1:], {"Location": "/whole"}
        elsewhere = {"Location": "ftp://127.0.0.1/whole"} if place == "away" else {"Location": "file:///etc/hostname"}
        known = {"whole": {}, "short": {"Content-Length": "9"}, "moved": there, "away": elsewhere, "file": elsewhere}
        code = 404 if place not in known else 302 if "Location" in known[place] else 200
        self.send_response(code)
        for name, value in known.get(place, {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(b"content" if code == 200 else b"")

    def log_message(self, *_):
        """Nothing is printed."""


@pytest.fixture
def server(monkeypatch):
    with HTTPServer(("127.0.0.1", 0), Server) as serving:
        base = f"http://127.0.0.1:{serving.server_port}/"
        threading.Thread(target=serving.serve_forever, args=(0.01,), daemon=True).start()
        monkeypatch.setattr(fetching, "SECURE", base)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        yield base
        serving.shutdown()


def test_a_file_is_fetched_also_after_a_redirection(server):
    assert fetching.fetch(f"{server}whole") == fetching.fetch(f"{server}moved") == b"content"


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("nothing", "HTTP Error 404"),
        ("short", "2 bytes are missing at its end"),
        ("away", "ftp://127.0.0.1/whole does not begin with"),
        ("file", "Redirection to url 'file:///etc/hostname' is not allowed"),
        ("a b", "cannot be downloaded"),
    ],
)
def test_an_answer_that_is_no_file_is_one_sentence(place, words, server):
    refused(f"{server}{place}", words)


@pytest.mark.parametrize(("limit", "value"), [("LARGEST", 6), ("PATIENCE", -1.0)])
def test_size_and_time_have_limits(limit, value, server, monkeypatch):
    monkeypatch.setattr(fetching, limit, value)
    refused(f"{server}whole", "more than 6 bytes" if limit == "LARGEST" else "takes longer than")


def test_only_https_is_asked(server, monkeypatch):
    monkeypatch.setattr(fetching, "SECURE", "https://")
    for address in (f"{server}whole", "file:///etc/hostname", "ftp://127.0.0.1/x", "data:,x"):
        refused(address, "does not begin with https://")


def test_a_server_that_is_not_there(server, monkeypatch):
    monkeypatch.setattr(fetching, "SECURE", "http://127.0.0.1:1/")
    refused("http://127.0.0.1:1/x", "cannot be downloaded")


def refused(address, words):
    with pytest.raises(OSError, match=words) as caught:
        fetching.fetch(address)
    assert str(caught.value).startswith(address) and "\n" not in str(caught.value)

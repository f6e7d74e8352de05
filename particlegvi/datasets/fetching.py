"""Downloads over https alone, within limits of size and time. Only `download` and ``data --download`` call this."""

from __future__ import annotations

import time

LARGEST = 50_000_000  # bytes; the largest raw file, an archive, has 14 million
SILENCE, PATIENCE = 30.0, 600.0  # seconds without a byte, and for the whole file
SECURE = "https://"  # every address that is asked begins with this, also after a redirection


def fetch(address: str) -> bytes:
    """The content at an address; an OSError if it cannot be had, is not over https, or exceeds a limit."""
    from http.client import HTTPException  # imported for a download only, as loading it takes time
    from urllib import request

    class Redirections(request.HTTPRedirectHandler):
        def redirect_request(self, *request_parts):  # type: ignore[no-untyped-def]
            _check(request_parts[-1])
            return super().redirect_request(*request_parts)

    end, content = time.monotonic() + PATIENCE, bytearray()
    try:
        _check(address)
        with request.build_opener(Redirections).open(address, timeout=SILENCE) as answer:
            while piece := answer.read1(1 << 16):
                content += piece
                if len(content) > LARGEST:
                    raise OSError(f"it has more than {LARGEST} bytes")
                if time.monotonic() > end:
                    raise OSError(f"it takes longer than {PATIENCE:g} seconds")
    except (OSError, HTTPException, ValueError) as error:
        raise OSError(f"{address} cannot be downloaded: {error}") from None
    missing = answer.length  # what the server has promised and not sent; read1 takes an early end for the end
    if missing:
        raise OSError(f"{address} cannot be downloaded: {missing} bytes are missing at its end")
    return bytes(content)


def _check(address: str) -> None:
    if not address.startswith(SECURE):
        raise OSError(f"{address} does not begin with {SECURE}")

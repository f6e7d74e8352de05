"""The command ``data``: which data sets are here, where the others are from, and their files made from raw ones."""

from __future__ import annotations

import argparse

from particlegvi.cli.options import Commands, flag, option
from particlegvi.cli.reporting import DONE, FAILED, report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from particlegvi.contracts import Facts


COMMANDS = Commands()


@COMMANDS(
    "the benchmark data: which are here, where the others are from, and their files",
    option("name", "these data sets, or all", nargs="*", metavar="NAME"),
    option("--from", "make the files from raw files that you have downloaded", dest="source", metavar="FILE|DIR"),
    flag("--download", "fetch the raw files over https, and make the files; without this, nothing is fetched"),
    flag("--json", "as JSON: name, rows, task, state, path, licence, source, addresses"),
)
def data(options: argparse.Namespace) -> int:
    from particlegvi import datasets
    from particlegvi.datasets import reading

    makes = options.source is not None or options.download
    if options.source is not None and options.download:
        raise ValueError("say --from for files that you have, or --download, but not both")
    if makes and not options.name:
        raise ValueError("data needs the NAME of a data set, or all, to make its file")
    if makes and options.json:
        raise ValueError("--json lists data sets, and goes neither with --from nor with --download")
    wanted = sorted(reading.catalogue()["sets"]) if "all" in options.name else options.name
    for name in wanted:
        reading.entries(name)
    code = DONE
    for name in wanted if makes else []:
        try:
            path = datasets.download(name) if options.download else datasets.convert(name, options.source)
            print(f"{name}: {path} is right", flush=True)
        except (ValueError, OSError) as error:
            code = max(code, report(error))
    if makes:
        return code
    entries = [entry for entry in datasets.available() if not wanted or entry["name"] in wanted]
    if options.json:
        import json

        print(json.dumps(entries, indent=2))
    else:
        print("\n".join(map(one, entries) if wanted and "all" not in options.name else table(entries)))
    return FAILED if wanted and any(entry["state"] != "right" for entry in entries) else DONE


def table(entries: list[Facts]) -> list[str]:
    """The lines of a table, its columns as wide as their words."""
    from pathlib import Path

    rows = [("name", "rows", "task", "file in", "licence", "source")]
    for entry in entries:
        folder = str(Path(entry["path"]).parent) if entry["path"] else ""
        where = {"right": folder, "wrong": f"not the right file: {entry['path']}", "missing": "missing"}[entry["state"]]
        rows.append((entry["name"], str(entry["rows"]), entry["task"], where, entry["licence"], entry["source"]))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def one(entry: Facts) -> str:
    """Where the file of a data set is, or how to get it."""
    from particlegvi.datasets import reading

    name, path, addresses = entry["name"], entry["path"], entry["addresses"]
    if entry["state"] == "right":
        return f"{name}: {path} is right (sha256)"
    places = reading.folders()
    state = f"{path} is not the right file: move it away" if path else f"missing in {' and in '.join(map(str, places))}"
    source = addresses[0].rpartition("/")[2] if len(addresses) == 1 else "."
    return "\n".join([
        f"{name}: {state}. Download",
        *(f"    {address}" for address in addresses),
        f"and then, in the folder of {'that file' if len(addresses) == 1 else 'these files'}, say",
        f"    particlegvi data {name} --from {source}",
        f"which makes the file, checks it, and puts it into {places[0]}. Or let the program download:",
        f"    particlegvi data {name} --download",
        f"Licence: {entry['licence']}.",
    ])  # fmt: skip

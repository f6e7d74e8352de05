"""Files made to do harm: each is a ValueError in one sentence, at once, and nothing outside is read or written."""

import hashlib
import json
import os
import shutil
import time

import numpy as np
import pytest

import particlegvi as pg
from particlegvi import cli, scenario
from particlegvi.scenario.kinds import build
from particlegvi.tools import files

from .fuzzing import fuzz
from .refusals import refuse
from .small_scenarios import SHORT_RUNS

HEAD = 'loss = "double-well"\nprior = "normal"\nparticles = 4\nsteps = 3\nstep_size = 0.01\n[methods.DE]\n'
DEEP = 100_000


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run's folder, to be copied before it is harmed."""
    folder = tmp_path_factory.mktemp("finished") / "run"
    pg.run("global-minimiser", particles=3, steps=2, out=folder)
    return folder


@pytest.fixture
def run(finished, tmp_path, elsewhere):
    shutil.copytree(finished, tmp_path / "run")
    return tmp_path / "run"


def refused(call) -> str:
    begun = time.process_time()  # its own, not what other processes take
    sentence = refuse(call)
    assert time.process_time() - begun < 5.0  # a second is usual; a slower machine has five
    return sentence


TOML = {
    "nested lists": "a = " + "[" * DEEP + "]" * DEEP,
    "ten megabytes": "#" * 10_000_000,
    "a huge float": "step_size = 1" + "0" * 500_000 + ".0",
    "a text that never ends": 'title = """' + "x" * 900_000,
    "a key that is there twice": "steps = 1\nsteps = 2",
    "NUL": "title = 'a\0b'",
    "terminal control": 'title = "\\u001b[31m"',
    "a class": 'loss = "os.system"',
    "an import": '[loss]\nformula = "__import__(\'os\').system(\'touch harmed\')"\nvariables = ["t"]',
    "based on a path": 'based_on = "../../etc/passwd"',
    "based on itself": 'based_on = "fed"',
    "a name that leaves": 'name = "../../harmed"',
    "a label that leaves": '[methods."../../harmed"]\nmethod = "DE"',
    "ten thousand variables": '[loss]\nformula = "t"\nvariables = [' + ",".join(f'"v{n}"' for n in range(10_000)) + "]",
}  # fmt: skip


@pytest.fixture(scope="module")
def imported():
    """Everything is imported before anything is watched."""
    for each in pg.scenarios.names():
        build(scenario.load(each))
    pg.plotting.names()


@pytest.mark.parametrize("kind", TOML)
@pytest.mark.sample("based on a path", "a name that leaves", "NUL", "an import", "a huge float")
def test_a_hostile_scenario_file_is_refused(kind, imported, tmp_path, elsewhere):
    place = tmp_path / "fed.toml"
    hostile = TOML[kind]
    keys = {line.split(" =")[0] for line in hostile.splitlines()[:3]}
    head = "".join(line + "\n" for line in HEAD.splitlines() if line.split(" =")[0] not in keys)
    place.write_text((hostile + "\n" + head) if not hostile.startswith("[") else head + hostile, encoding="utf-8")
    watch = fuzz.Watch(tmp_path)
    fuzz.warm_up()

    def read() -> None:
        with watch():
            settings = scenario.load(place)
            build(settings)
            for figure in settings["figures"]:
                pg.plotting.check(figure)

    refused(read)
    assert watch.seen == []
    assert os.listdir(tmp_path) == ["fed.toml"]


@pytest.mark.parametrize("place", ["/dev/zero", "/dev/stdin", "/proc/self/mem", ".", "missing.toml", "pipe.toml"])
def test_what_is_no_file_is_refused_at_once(place, elsewhere):
    os.mkfifo("pipe.toml")
    refused(lambda: scenario.load(place if "/" in place or "." in place[1:] else "./x.toml"))
    refused(lambda: pg.load(place))


JSON = {
    "NaN": '{"a": NaN}',
    "Infinity": '{"a": -Infinity}',
    "a key that is there twice": '{"a": 1, "a": 2}',
    "a hundred thousand keys, the last twice": "{" + "".join(f'"{n}": 0, ' for n in range(100_000)) + '"99999": 0}',
    "a million tables": '{"a": [' + "{}," * 1_000_000 + "{}]}",
    "deep tables": '{"a": ' * DEEP + "1" + "}" * DEEP,
    "a huge number": '{"a": ' + "9" * 1_000_000 + "}",
    "a list": "[1]",
    "UTF-16": '{"a": 1}'.encode("utf-16").decode("latin-1"),
}


@pytest.mark.parametrize("kind", JSON)
def test_hostile_json_is_refused(kind, tmp_path):
    (tmp_path / "a.json").write_text(JSON[kind], encoding="latin-1")
    assert "a.json" in refused(lambda: files.read_json(tmp_path / "a.json"))


def test_a_file_beyond_the_limit_is_not_read(tmp_path):
    with open(tmp_path / "a.json", "wb") as file:
        file.truncate(10**12)  # a terabyte of nothing, which takes no room
    assert "more than 50000000 bytes" in refused(lambda: files.read_json(tmp_path / "a.json"))


def npy(header: str, data: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    text = header.encode("latin-1")
    length = len(text).to_bytes(2 if version[0] == 1 else 4, "little")
    return b"\x93NUMPY" + version + length + text + data


ZEROS = bytes(48)
ARRAYS = {
    "objects": npy("{'descr': '|O', 'fortran_order': False, 'shape': (2, 3, 1), }\n", b"cos\nsystem\n(S'touch x'\ntR."),
    "Fortran order": npy("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3, 1), }\n", ZEROS),
    "a huge shape": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999, 99999999, 1), }\n", ZEROS),
    "a header of 60 kB": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (6, 1, 1), }" + " " * 60_000 + "\n"),
    "a header with code": npy("{'descr': __import__('os').system('touch harmed'), 'shape': (2, 3, 1), }\n", ZEROS),
    "a longer header than file": b"\x93NUMPY\x01\x00\xff\xff{'descr'",
    "cut short": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 1), }\n", ZEROS[:-1]),
    "an archive": b"PK\x03\x04" + bytes(100),
}  # fmt: skip


@pytest.mark.parametrize("kind", ARRAYS)
def test_a_hostile_array_is_refused_before_it_is_read(kind, run):
    (run / "arrays" / "DLE.positions.npy").write_bytes(ARRAYS[kind])
    before = sorted(path.name for path in run.parent.rglob("*"))
    assert "DLE.positions.npy is not an array that a run has written" in refused(lambda: pg.load(run))
    assert sorted(path.name for path in run.parent.rglob("*")) == before


def manifest(run, **changes):
    place = run / "manifest.json"
    place.write_text(json.dumps({**json.loads(place.read_text()), **changes}))


def array(run, name, content, known=True):
    """Put an array in the place of one of a run, and its sha256 into the manifest where it is ``known``."""
    place = run / "arrays" / name
    place.write_bytes(content)
    listed = json.loads((run / "manifest.json").read_text())["sha256"]
    manifest(run, sha256={**listed, f"arrays/{name}": hashlib.sha256(content).hexdigest()} if known else listed)
    return place


def test_an_array_that_does_not_fit_into_memory_is_refused_before_it_is_read(run):
    """Of zeros without room on the disk, which would take a terabyte of memory."""
    header = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 40000000000, 1), }\n")
    place = array(run, "DLE.positions.npy", header, known=False)
    with place.open("ab") as file:
        file.truncate(place.stat().st_size + 8 * 3 * 40_000_000_000)
    assert "960 GB of memory" in refused(lambda: pg.load(run))


@pytest.mark.parametrize(
    ("name", "shape", "numbers", "words"),
    [
        ("DLE.positions.npy", "(3, 2, 1)", np.zeros(6), "its particles must be 3 as in the scenario, not 2"),
        ("DLE.steps.npy", "(3,)", np.array([-5, 1, 2]), "step numbers of DLE must be 0 or more and increase"),
        ("DLE.steps.npy", "(3,)", np.array([0, 2, 1]), "step numbers of DLE must be 0 or more and increase"),
    ],
)
def test_an_array_that_does_not_fit_the_scenario_is_refused_by_all_that_read_it(name, shape, numbers, words, run):
    header = f"{{'descr': '{numbers.dtype.str}', 'fortran_order': False, 'shape': {shape}, }}\n"
    array(run, name, npy(header, numbers.tobytes()))
    for read in (pg.load, pg.page, lambda folder: pg.load(folder).plot(), pg.resume):
        assert words in refused(lambda read=read: read(run))


def test_a_byte_order_mark_in_a_stored_scenario_is_read_over(run):
    place = run / "scenario.toml"
    place.write_text("\ufeff" + place.read_text(encoding="utf-8"), encoding="utf-8")
    assert len(pg.load(run)) == 3


def test_a_manifest_names_no_method_outside_the_scenario(run):
    """Labels become paths only if the scenario in the folder has them, and that is checked like any other."""
    manifest(run, methods=["DE", "../../outside", "/etc/passwd", "DLE", "DRLE", 3, None])
    assert list(pg.load(run)) == ["DE", "DLE", "DRLE"]


@pytest.mark.parametrize(
    "name", ["manifest.json", "scenario.toml", "summary.json", "arrays/DE.positions.npy", "arrays/DE.json", "arrays"]
)
def test_no_link_in_a_run_is_followed(name, run, tmp_path):
    outside = tmp_path / "outside"
    (run / name).rename(outside)
    (run / name).symlink_to(outside)
    assert "is a link" in refused(lambda: pg.load(run))
    (run / name).unlink()
    outside.rename(run / name)
    assert len(pg.load(run)) == 3  # the control: only the link was wrong


@pytest.mark.thorough
def test_a_picture_is_not_written_through_a_link(run, tmp_path, capsys):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    for name in ("histograms.png", "trajectories.png"):
        (run / name).unlink(missing_ok=True)
        (run / name).symlink_to(precious)
    assert cli.main(["plot", str(run)]) == 0
    assert precious.read_text() == "mine"
    assert not (run / "histograms.png").is_symlink()


def test_a_file_is_not_written_through_a_link_under_the_temporary_name(tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (tmp_path / f".a.txt.{os.getpid()}.tmp").symlink_to(precious)
    files.write_text(tmp_path / "a.txt", "new")
    assert precious.read_text() == "mine" and (tmp_path / "a.txt").read_text() == "new"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["methods"], []),
        (["methods", "DLE", "w1"], "near"),
        (["methods", "DLE", "mean"], {"a": 1}),
        (["methods", "DE", "basins"], [{}]),
        (["methods", "DRLE", "run", "repulsion"], [1]),
        (["methods", "DLE", "equilibrium"], "good"),
        (["methods", "DLE", "equilibrium"], {"reached": True}),
        (["methods", "DLE", "w1_floor"], 3),
        (["methods", "DE", "run"], {}),
        (["methods", "DE", "run", "seconds"], "long"),
        (["seed"], {}),
        (["status"], [[]]),
    ],
    ids=str,
)
def test_a_damaged_summary_is_refused_or_harmless(path, value, run):
    place = run / "summary.json"
    content = json.loads(place.read_text())
    *way, last = path
    inner = content
    for step in way:
        inner = inner[step]
    inner[last] = value
    place.write_text(json.dumps(content))
    try:
        results = pg.load(run)
        assert isinstance(results.describe(), str) and results.table() and "<table" in results._repr_html_()
    except ValueError as error:
        assert "summary.json is damaged" in str(error) and len(str(error)) < 600


@pytest.mark.parametrize("kind", ["approximation", "networks"])
@pytest.mark.thorough
def test_a_damaged_summary_of_another_kind_is_refused_or_harmless(kind, tmp_path, elsewhere):
    name, settings = SHORT_RUNS[kind]
    pg.run(name, out=tmp_path / "run", **settings)
    place = tmp_path / "run" / "summary.json"
    whole, heard = place.read_text(), []
    assert pg.load(tmp_path / "run").describe()  # control
    for entry in json.loads(whole):
        for value in (None, [], {}, "near", -1.0, [[]], [{"a": None}], {"DE": 3}):
            place.write_text(json.dumps({**json.loads(whole), entry: value}))
            try:
                results = pg.load(tmp_path / "run")
                assert isinstance(results.describe(), str) and "<" in results._repr_html_()
                results.table()
            except ValueError as error:
                assert "\n" not in str(error) and len(str(error)) < 600
                heard.append(str(error))
    assert heard


def test_a_good_run_is_still_read(run):
    """Control of everything above: without harm the same calls succeed."""
    assert np.isfinite(pg.load(run)["DRLE"].final).all()
    assert pg.load(run).describe()

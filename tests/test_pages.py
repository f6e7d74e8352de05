"""The README, CONTRIBUTING and the pages of docs/ say what is true: their commands, their links, their Python."""

import ast
import os
import re
from itertools import zip_longest
from pathlib import Path

import pytest

from particlegvi.cli import COMMANDS

from .interpreters import python

# The numbers of a page: mean, sd, 5% and 95% as printed, and in closed form.
TEN_LINES = (Path(__file__).parent.parent / "docs" / "ten-lines.md").read_text(encoding="utf-8")
PRINTED, EXACT = (
    [
        [float(number) for number in re.findall(r"-?\d+\.\d+", row)]
        for row in re.findall(pattern, TEN_LINES, re.MULTILINE)
    ]
    for pattern in (r"^(?:intercept|slope|log sigma)  .*", r"^\| (?:intercept|slope|log sigma) \|.*")
)

# What must hold after the first block of Python of a page, after the second, and so on.
CHECKS = {
    "docs/appendix/digits.md": [
        "p = model.predict_proba([[2.0, 0.0], [30.0, 30.0]])\nassert p[0, 1] > 0.95 and p[1].max() < 0.6"
    ],
    "docs/data.md": [
        "assert len(splits) == 20 and len(split.train) + len(split.validation) + len(split.test) == 506",
        "assert datasets.load('parabola').X.shape == (50, 1) and 'parabola' in datasets.names()",
    ],
    "docs/equilibrium.md": ["assert np.mean(run.final > 0.16) < 0.02 and run.info['jumps']['acceptance_rate'] > 0.5"],
    "docs/estimators.md": [
        "",
        "assert search.best_score_ > 0.9",
        "assert 0.1 < factor < 10.0 and 0.5 < radius < 10.0",
        "assert sparse.certify().kl > 0.0",
    ],
    "docs/first-run.md": ["from particlegvi.contracts import Stages\nassert isinstance(Told(), Stages)"],
    "docs/function-space.md": ["", "assert np.abs(mean - np.sin(3.0 * X[:, 0])).max() < 0.4"],
    "docs/functionals.md": [
        "assert sd.max() < 1.0 and abs(slope[0] - 2.0) < 0.2",
        "assert model.basis.size == 83 and np.abs(model.predict(X) - targets).max() < 0.1",
        """
plane = np.random.default_rng(0).uniform(size=(40, 2))
assert separable.fit(plane, np.sin(7.0 * plane[:, 0])).basis.size == 225
""",
        "assert round(exact.facts()['left_out'], 6) == 1.7e-5 and exact.size == 200",
    ],
    "docs/gaussian-wasserstein.md": [
        "assert np.mean(sd / sd_of_bayes) < 0.1 and round(1e6 * gwi.shrinkage_, 2) == 0.81",
    ],
    "docs/integrators.md": ["", "", "assert 25.0 < run.times[-1] < 30.0"],
    "docs/linear-benchmark.md": [
        "assert round(exact.log_marginal_likelihood(), 3) == 8.186 and round(exact.kl_to_prior(), 3) == 28.035",
    ],
    "docs/models.md": [
        "assert run.arrived and run.draws()['b'].shape == (200, 2) and run.draws()['sigma'].min() > 0.5",
        "assert same.arrived and np.abs(same.draws()['b'].mean(axis=0) - run.draws()['b'].mean(axis=0)).max() < 0.2",
    ],
    "docs/networks.md": ["assert np.sqrt(np.mean((y - f.mean(axis=0)) ** 2)) < 0.3 and weight == 2 * 0.01 / 60"],
    "docs/notebook.md": [
        "assert '<svg' in results['hot']._repr_html_() and len(early['hot'].positions) == 11",
        "assert list(tree.children) == ['cold', 'hot'] and path.is_file() and len(rows) == 2",
        "assert draws['posterior'].attrs['independent_chains'] == 1 and set(data.groups()) >= {'posterior', 'prior'}",
    ],
    "docs/open-questions.md": [
        "assert run.info['embedding'] == 'closed form for a Gaussian process'",
        "assert [round(mean, 3) for mean in means] == [-1.240, -1.436, -1.808, -0.421] and renyi.divergence > 0.0",
    ],
    "docs/own-models.md": [
        "assert 'DLE' in run.describe() and run.final.shape == (300, 2)",
        "assert results['DLE'].final.tobytes() == run.final.tobytes() and results.status == 'finished'",
        "assert all(-0.1 < score < -0.06 for score in map(log_score, (mala.final, dle.final, svgd.final, laplace)))",
        "assert [facts['equilibrium']['reached'] for facts in results.summary['methods'].values()] == [True, False]",
    ],
    "docs/projected-langevin.md": [
        "assert functions.shape == (200, 50) and pls.info_['equilibrium']['reached']\n"
        "assert 60 < np.sum(functions[:, 25] > 0.0) < 140 and np.allclose(sd[[0, -1]] ** 2, 4.0, atol=1.5)",
    ],
    "docs/sparse.md": [
        "assert np.all(np.abs(sparse.predict(X) - exact.predict(X)) <= certificate.mean_error(X))\n"
        "assert certificate.evidence[0] <= exact.log_marginal_likelihood() <= certificate.evidence[1]\n"
        "assert certificate.kl < 0.1",
        "assert placed.facts['objective']['after'] < placed.facts['objective']['before']",
        "assert tuned.bound > sparse.bound and len(facts['fits']) == 2",
    ],
    "docs/ten-lines.md": [
        "",
        f"""
printed, exact = np.array({PRINTED}), np.array({EXACT})
draws = np.stack(list(run.pooled().values()), axis=1)
measured = np.stack([draws.mean(axis=0), draws.std(axis=0), *np.quantile(draws, [0.05, 0.95], axis=0)], axis=1)
near = lambda table: np.abs(table - printed) / exact[:, 1:2]
assert near(measured).max() < 0.25, near(measured)  # another processor rounds in another way, and has other draws
wider = 1.3 * (measured - measured[:, :1]) + measured[:, :1]
assert near(wider)[:, 2:].min() > 0.25  # control: a law that is too wide
assert np.all(np.abs(printed[:, 0] - exact[:, 0]) < 0.1 * exact[:, 1])
assert np.all(np.abs(measured[:, 0] - exact[:, 0]) < 0.15 * exact[:, 1])  # 0.1 in 99 of 100 runs
"""
        """
A = np.column_stack([np.ones(15), height])
fitted, left, *_ = np.linalg.lstsq(A, weight)
sd = np.sqrt(left[0] / 13 * np.diag(np.linalg.inv(A.T @ A)))
assert run.arrived and np.all(np.abs(run.final[:, :2].mean(axis=0) - fitted) < 4.5 * 1.1 * sd / np.sqrt(200))
from scipy import special, stats
bounds = fitted[:, None] + sd[:, None] * stats.t(13).ppf([0.05, 0.95])
np.testing.assert_allclose(exact[:2], np.column_stack([fitted, sd * np.sqrt(13 / 11), bounds]), rtol=5e-4)
spread = 0.5 * (np.log(left[0] / 2) - special.digamma(6.5)), 0.5 * np.sqrt(special.polygamma(1, 6.5))
np.testing.assert_allclose(exact[2], [*spread, *0.5 * np.log(left[0] / stats.chi2(13).ppf([0.95, 0.05]))], rtol=5e-4)
assert Path("women.png").stat().st_size > 5000 and "slope" in run.draws()
""",
    ],
    "docs/theory/lipschitz.md": [
        "assert 0.0 < certificate.estimate() < certificate.family <= certificate.total < 1e-3 and np.all(low < high)"
    ],
    "docs/theory/questions.md": ["assert np.abs(q - right / np.sum(right * h)).max() < 1e-12"],
}
SLOW_PAGES = ["estimators", "tour", "films", "notebook", "own-models", "start", "sweeps"]
SLOW_PAGES += ["networks", "equilibrium", "gaussian-wasserstein", "open-questions", "slides", "theory/lipschitz"]
SLOW = {"README.md", *(f"docs/{page}.md" for page in SLOW_PAGES)}
NEEDS = {
    "docs/estimators.md": ["sklearn"],
    "docs/models.md": ["numpyro", "pymc"],
    "docs/notebook.md": ["arviz", "h5netcdf"],
    "docs/own-models.md": ["sklearn"],
}
# Folders and pages whose Python is not run from the first line to the last, and why.
NOT_RUN = {
    "docs/extending/": "shows files that tests/test_extending.py tries",
    "docs/course/": "tests/test_course.py runs it",
    "docs/tables.md": "computes for hours; tests/scenario/tables/ has small tables",
}
ROOT = Path(__file__).parent.parent


def pages(root: Path = ROOT) -> list[Path]:
    return [root / "README.md", root / "CHANGELOG.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def readme_commands(root: Path) -> list[list[str]]:
    """The README's one-line commands, each split at its ``&&``."""
    lines = [line for block in blocks(root / "README.md", "bash") for line in block.splitlines()]
    return [[step.strip() for step in line.split("&&")] for line in lines if "&&" in line]


def test_ci_runs_the_tests_of_the_readme_on_the_wheel(root):
    script = root / ".ci" / "run"
    lines = [re.sub("^(check |retried )*", "", line) for line in script.read_text(encoding="utf-8").splitlines()]
    (steps,) = [steps for steps in readme_commands(root) if steps[-1].startswith("pytest")]
    tests = f'{steps[-1]} -o pythonpath="$work/beside"'
    order = ['pip wheel --no-deps -w "$work/wheel" .', 'pip install --no-compile "${wheel}[test]"', tests]
    order += ['pip install --no-compile "${wheel}[thorough]"', f'{tests} -m "thorough and not slow"']
    order += [next(line for line in lines if line.startswith("pytest") and "-m slow tests/test_site.py" in line)]
    positions = [lines.index(step) for step in order]
    assert positions == sorted(positions)
    assert "ruff check" in lines and {"mypy", "wait"} <= {line.split()[0] for line in lines if line}
    assert os.access(script, os.X_OK)


def test_the_readme_has_its_two_commands(root):
    install, test = readme_commands(root)
    assert install[-2:] == ["pip install .", "particlegvi run global-minimiser"]
    assert test[-2:] == ["pip install --no-compile -e '.[test]'", "pytest -q -n auto"]


def test_every_file_the_pages_link_to_exists(root):
    links = [
        (page, link)
        for page in pages(root)
        for link in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
        if "://" not in link
    ]
    assert links
    assert not [f"{page.name}: {link}" for page, link in links if not (page.parent / link).exists()]


def broken_rows(root: Path, page: str) -> list[str]:
    """Rows of tables of promises that name a test or script that is not there, or that stand outside a table."""
    named = re.findall(r"`((?:[a-z_]+/)*[a-z_]+\.py)", page)
    missing = [name for name in named if not any((root / folder / name).is_file() for folder in (".", "tests"))]
    outside = [
        row for before, row, after in zip_longest(["", *page.splitlines()], page.splitlines(), page.splitlines()[1:])
        if row and row.startswith("|") and not (before or "").startswith("|") and not (after or "").startswith("|---")
    ]  # fmt: skip
    return missing + outside


def test_the_tests_that_the_promises_name_are_there(root):
    page = (root / "docs" / "promises.md").read_text(encoding="utf-8")
    assert broken_rows(root, page) == []
    assert broken_rows(root, page + "\n| a | b | `runs/test_nothing.py` |\n") == [
        "runs/test_nothing.py", "| a | b | `runs/test_nothing.py` |",
    ]  # fmt: skip  # the control


def test_every_command_of_the_pages_exists(root):
    text = "\n".join(block for page in pages(root) for block in blocks(page, "bash"))
    shown = set(re.findall(r"^(?:.*&& )?particlegvi (\w+)", text, flags=re.MULTILINE))
    assert {"run", "list"} <= shown
    assert shown <= COMMANDS.keys()


SHOWN = [page.relative_to(ROOT).as_posix() for page in pages() if blocks(page, "python")]
EXCUSED = [name for name in SHOWN if name.startswith(tuple(NOT_RUN))]
RUN = [name for name in SHOWN if name not in EXCUSED]


def test_every_check_is_one_of_a_page_that_runs():
    assert {*CHECKS, *SLOW, *NEEDS} <= {*RUN} and len(RUN) > 25 and len(EXCUSED) > 10


@pytest.mark.parametrize("name", EXCUSED)
def test_the_python_of_a_page_that_is_not_run_is_valid_and_its_imports_exist(root, name):
    shown = "\n".join(blocks(root / name, "python"))
    imports = [part for part in ast.walk(ast.parse(shown)) if isinstance(part, ast.ImportFrom) and part.level == 0]
    for part in imports:
        exec(compile(ast.Module([part], []), name, "exec"), {})


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[*[pytest.mark.slow] * (name in SLOW), pytest.mark.needs(*NEEDS.get(name, ()))])
        for name in RUN
    ],
)
@pytest.mark.thorough
def test_the_python_of_a_page_runs_and_says_what_the_page_says(root, tmp_path, name):
    """All blocks of one page, one after the other, as a reader would type them; warnings of the user are errors."""
    shown = blocks(root / name, "python")
    checks = CHECKS.get(name, [])
    assert len(checks) <= len(shown)
    program = "\n".join(part for pair in zip_longest(shown, checks, fillvalue="") for part in pair)
    python("-W", "error::UserWarning", "-c", program, cwd=tmp_path)

"""The README, CONTRIBUTING and the pages of docs/ say what is true: their commands, their links, their Python."""

import ast
import os
import re
import subprocess
import sys
from itertools import zip_longest
from pathlib import Path

import pytest

from particlegvi.cli import COMMANDS

# What must hold after the first block of Python of a page, after the second, and so on.
CHECKS = {
    "README.md": ["assert run.final.shape == (300, 1) and density.shape == (60,)"],
    "docs/course/functions.md": ["assert len(far) == 3", "", "assert mixed > 0.5"],
    "docs/course/honesty.md": ["assert ratio > 1000.0"],
    "docs/course/landscapes.md": ["assert 0.28 < share < 0.34", "assert difference == 0.0"],
    "docs/course/noise.md": ["assert len(results) == 3"],
    "docs/course/repulsion.md": ["assert shares['DRLE'] > 0.7 > 0.4 > shares['DRE']", "assert covered == 8"],
    "docs/course/steps.md": ["assert set(swept.laws) == {'euler-maruyama'}"],
    "docs/data.md": ["assert len(splits) == 20 and len(split.train) + len(split.validation) + len(split.test) == 506"],
    "docs/equilibrium.md": ["assert np.mean(run.final > 0.16) < 0.02 and run.info['jumps']['acceptance_rate'] > 0.5"],
    "docs/appendix/digits.md": [
        """
p = model.predict_proba([[2.0, 0.0], [30.0, 30.0]])
assert p[0, 1] > 0.95 and p[1].max() < 0.6 and model.maps_.shape == (3, 12, 12)
""",
    ],
    "docs/estimators.md": [
        """
assert functions.shape == (100, 100)
assert classifier.predict_proba(X).shape == (100, 2)
""",
        "assert (again.predict(X) == model.predict(X)).all() and type(again) is type(model)",
        "assert search.best_score_ > 0.9 and set(search.best_params_) == {'pls__inducing_points'}",
        """
assert 0.1 < factor < 10.0 and 0.5 < radius < 10.0
assert gaussian_nll(y[test], mean, np.sqrt(factor) * sd) < gaussian_nll(y[test], y[train].mean(), y[train].std())
""",
        "assert 0.0 < sparse.certify().kl <= 0.1 and len(placed.search_['fits']) == 2",
    ],
    "docs/first-run.md": ["from particlegvi.contracts import Stages\nassert isinstance(Told(), Stages)"],
    "docs/films.md": ['assert str(film) == "film.gif" and film.read_bytes()[:6] == b"GIF89a"'],
    "docs/function-space.md": [
        """
assert np.allclose(e.features(X) @ e.features(X).T + residual.covariance(X), k(X))
assert e.features(X).shape == (200, 15) and e.prior_variances("rkhs").shape == (15,)
""",
        "assert np.abs(mean - np.sin(3.0 * X[:, 0])).max() < 0.4 and labels.min() >= 0.0 and labels.max() <= 1.0",
    ],
    "docs/functionals.md": [
        "assert mean.shape == sd.shape == slope.shape == (5,) and sd.max() < 1.0 and abs(slope[0] - 2.0) < 0.2",
        "assert model.basis.size == 83 and np.abs(model.predict(X) - targets).max() < 0.1",
        "assert round(exact.facts()['left_out'], 6) == 1.7e-5 and exact.size == 200",
        """
assert abs(noise / 0.09 - 1.0) < 0.02
assert abs(many.bound - facts["fits"][0]["evidence_bound"]["after"]) < 1e-3
""",
    ],
    "docs/gaussian-wasserstein.md": [
        """
assert np.mean(sd / sd_of_bayes) < 0.1 and round(1e6 * gwi.shrinkage_, 2) == 0.81
assert np.allclose(around.predict(x, return_std=True)[1], sd_of_bayes)
""",
    ],
    "docs/integrators.md": [
        "assert run.info['acceptance_rate'] > 0.5",
        "assert run.info['integrator'] == 'adam'",
        "assert 25.0 < run.times[-1] < 30.0",
    ],
    "docs/tour.md": ["assert run.final.shape == (2000, 1)"],
    "docs/live-page.md": ["assert len(page.html) < 500_000 and page._repr_html_().startswith('<iframe')"],
    "docs/networks.md": [
        """
assert f.shape == (10, 60) and np.sqrt(np.mean((y - f.mean(axis=0)) ** 2)) < 0.3 and weight == 2 * 0.01 / 60
assert net.predict(repelled.final, context).std(axis=0).mean() > 0.0
"""
    ],
    "docs/notebook.md": [
        """
assert "<table" in results._repr_html_() and "<svg" in results["hot"]._repr_html_()
assert len(figure.axes) >= 2 and len(early["hot"].positions) == 11
""",
        """
assert particles.columns.tolist() == ["method", "particle", "t"] and len(everything) == 200 * len(results["hot"].steps)
assert list(tree.children) == ["cold", "hot", "truth"] and path.is_file() and len(rows) == 2
assert hot["position"].dims == ("record", "particle", "coordinate")
""",
        "assert draws['posterior'].attrs['independent_chains'] == 1 and set(data.groups()) >= {'posterior', 'prior'}",
    ],
    "docs/own-models.md": [
        "assert 'DLE' in run.describe() and run.final.shape == (300, 2)",
        "assert results['DLE'].final.tobytes() == run.final.tobytes() and results.status == 'finished'",
        """
assert all(-0.1 < log_score(run.final) < -0.06 for run in (mala, dle, svgd)) and -0.1 < log_score(laplace) < -0.06
assert np.abs(dle.final.mean(axis=0) - mala.final.mean(axis=0)).max() < 0.35 * mala.final.std(axis=0).max()
assert 0.6 < mala.info["acceptance_rate"] < 0.9
""",
        """
reached = {label: facts["equilibrium"]["reached"] for label, facts in results.summary["methods"].items()}
assert reached == {"DLE": True, "cold": False}
""",
    ],
    "docs/plugins.md": [
        "assert loss.name == 'my-ripples' and loss.dim == 1 and run.info['integrator'] == 'half-noise'",
    ],
    "docs/projected-langevin.md": [
        """
assert functions.shape == (200, 50) and pls.info_["equilibrium"]["reached"]
at = pls.predict(X, of="target")
assert np.abs(at - (2.0 + np.sin(2.0 * X[:, 0])) ** 2).mean() < 0.8
assert 60 < np.sum(functions[:, 25] > 0.0) < 140 and np.allclose(sd[[0, -1]] ** 2, 4.0, atol=1.5)
"""
    ],
    "docs/open-questions.md": ["assert run.info['embedding'] == 'closed form for a Gaussian process'"],
    "docs/slides.md": [
        "assert open('dle.pdf', 'rb').read(5) == b'%PDF-' and (figure.get_size_inches() == [40 / 3, 7.5]).all()",
        "assert len(figure.axes[0].lines) >= 3",
    ],
    "docs/sweeps.md": ["assert found.values('w1', 'DLE').shape == (3, 3) and figure.axes"],
    "docs/start.md": ["assert results.scenario['step_size'] > 0.0 and results['DLE'].loss.variables == ['x', 'y']"],
    "docs/linear-benchmark.md": [
        """
assert round(exact.log_marginal_likelihood(), 3) == 8.186 and round(exact.kl_to_prior(), 3) == 28.035
assert fixed_points.kl_to_posterior() == np.inf and 1.0 < random_points.kl_to_posterior() < 30.0
"""
    ],
    "docs/sparse.md": [
        """
assert np.all(np.abs(sparse.predict(X) - exact.predict(X)) <= certificate.mean_error(X))
assert certificate.evidence[0] <= exact.log_marginal_likelihood() <= certificate.evidence[1]
assert np.all((low <= exact.predict(X, True)[1]) & (exact.predict(X, True)[1] <= high))
assert certificate.facts["informative"] and certificate.kl < 0.1 and enough.facts["stopped"] == "certified_gap"
""",
        """
assert placed.bound > SparseGaussianProcess(k, likelihood, 15).fit(X, y).bound
assert placed.facts["objective"]["after"] < placed.facts["objective"]["before"]
""",
        "assert tuned.bound > sparse.bound and len(facts['fits']) == 2",
        """
kl = divergences.kl(sparse, exact)
assert np.isclose(kl, exact.log_marginal_likelihood() - sparse.bound) and 0.0 < kl <= certificate.kl
assert 0.0 < divergences.wasserstein(sparse, exact) <= np.sqrt(2.0 * kl)
assert divergences.wasserstein(sparse, exact) <= divergences.preconditioned_fisher(sparse, exact)
assert 0.0 < divergences.log_density_ratio(exact, subset) < divergences.log_density_ratio(exact, regressors) == np.inf
assert divergences.kl(regressors, exact) == np.inf
""",
    ],
    "docs/theory/lipschitz.md": [
        "assert 0.0 < certificate.estimate() < certificate.family <= certificate.total < 1e-3 and np.all(low < high)"
    ],
    "docs/theory/questions.md": ["assert np.abs(q - right / np.sum(right * h)).max() < 1e-12"],
}
SLOW = {"README.md", *(f"docs/{page}.md" for page in ["tour", "films", "notebook", "own-models", "start", "sweeps"])}
COURSE = ("functions", "honesty", "landscapes", "noise", "repulsion", "steps")
SLOW |= {f"docs/course/{page}.md" for page in COURSE}  # tests/test_course.py runs them in one process
NEEDS = {
    "docs/estimators.md": ["sklearn"],
    "docs/notebook.md": ["arviz", "h5netcdf"],
    "docs/own-models.md": ["sklearn"],
}
# Pages whose Python is not run from the first line to the last, and why.
EXTENDING = [
    *["claim", "covariance", "fact", "figure", "integrator", "kernel", "kind", "likelihood", "loss", "method", "prior"],
    *["schedule", "table-model"],
]
NOT_RUN = {
    **{f"docs/extending/{part}.md": "shows a file that tests/test_extending.py tries" for part in EXTENDING},
    "docs/tables.md": "computes for hours; tests/scenario/tables/ has small tables",
}


def pages(root: Path) -> list[Path]:
    return [root / "README.md", root / "CHANGELOG.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def readme_commands(root: Path) -> list[list[str]]:
    """The README's one-line commands, each split at its ``&&``."""
    lines = [line for block in blocks(root / "README.md", "bash") for line in block.splitlines()]
    return [[step.strip() for step in line.split("&&")] for line in lines if "&&" in line]


def test_ci_runs_the_test_command_of_the_readme(root):
    script = root / ".ci" / "run"
    lines = [re.sub("^(check |retried )*", "", line) for line in script.read_text(encoding="utf-8").splitlines()]
    (steps,) = [steps for steps in readme_commands(root) if steps[-1].startswith("pytest")]
    places = {".venv/bin/activate": '"$work/venv/bin/activate"', ".venv": '"$work/venv"'}  # CI's is a temporary one
    expected = [" ".join(places.get(word, word) for word in step.split(" ")) for step in steps]
    after = ["pip install -e '.[thorough]'", 'pytest -q -n auto -m "thorough and not slow"']
    positions = [lines.index(step) for step in [*expected, *after]]
    assert positions == sorted(positions)
    assert {"ruff check", "mypy"} <= set(lines)
    assert os.access(script, os.X_OK)


def test_the_readme_has_its_two_commands(root):
    install, test = readme_commands(root)
    assert install[-2:] == ["pip install .", "particlegvi run global-minimiser"]
    assert test[-2:] == ["pip install -e '.[test]'", "pytest -q -n auto"]


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


def test_every_page_with_python_is_run_or_excused(root):
    shown = {page.relative_to(root).as_posix() for page in pages(root) if blocks(page, "python")}
    assert shown == CHECKS.keys() | NOT_RUN.keys()


@pytest.mark.parametrize("name", NOT_RUN)
def test_the_python_of_a_page_that_is_not_run_is_valid_and_its_imports_exist(root, name):
    shown = "\n".join(blocks(root / name, "python"))
    imports = [part for part in ast.walk(ast.parse(shown)) if isinstance(part, ast.ImportFrom) and part.level == 0]
    assert imports
    for part in imports:
        exec(compile(ast.Module([part], []), name, "exec"), {})


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[*[pytest.mark.slow] * (name in SLOW), pytest.mark.needs(*NEEDS.get(name, ()))])
        for name in CHECKS
    ],
)
@pytest.mark.sample("docs/first-run.md", "docs/function-space.md")
def test_the_python_of_a_page_runs_and_says_what_the_page_says(root, tmp_path, name):
    """All blocks of one page, one after the other, as a reader would type them; warnings of the user are errors."""
    shown = blocks(root / name, "python")
    assert len(CHECKS[name]) <= len(shown)
    program = "\n".join(part for pair in zip_longest(shown, CHECKS[name], fillvalue="") for part in pair)
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr

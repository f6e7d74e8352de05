"""A fitted estimator goes into a file and comes back with the same predictions; no file is believed unchecked."""

import io
import json
import pickle
import re
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.tools import bundle

from ...refusals import refuse
from ..references import OwnProfile

pytest.importorskip("sklearn", reason="needs scikit-learn: pip install 'particlegvi[learn]'")

from sklearn.exceptions import NotFittedError

from particlegvi import functionspace, networks
from particlegvi.functionspace.covariances import Matern32, Periodic

random = np.random.default_rng(0)
X = random.normal(size=(30, 2))
Y = np.sin(X[:, 0]) + 0.1 * random.normal(size=30)
LABELS = np.where(Y > 0.0, "high", "low")
POINTS = {"fit_kernel": False, "inducing_points": 8, "random_state": 0}
SAMPLED = {**POINTS, "particles": 10, "steps": 20}
NETWORKS = {"steps": 20, "particles": 3, "hidden": (5,), "random_state": 0}
CASES = {
    "sparse": (functionspace.SparseGaussianProcessRegressor(**POINTS), Y),
    "sparse-classes": (functionspace.SparseGaussianProcessClassifier(**POINTS), LABELS.astype(object)),
    "wasserstein": (functionspace.GaussianWassersteinRegressor("inducing", **POINTS), Y),
    "networks": (networks.EnsembleRegressor(method="DRLE", **NETWORKS), Y),
    "sampler": (functionspace.ProjectedLangevinRegressor(**SAMPLED, kernel=Matern32([1.0, 2.0]) + Periodic(3.0)), Y),
    "sampler-classes": (functionspace.ProjectedLangevinClassifier(**SAMPLED), LABELS == "high"),
    "sampler-counts": (functionspace.ProjectedLangevinPoissonRegressor(**SAMPLED), np.round(np.exp(Y))),
    "sparse-elbo": (functionspace.SparseGaussianProcessRegressor(bound="elbo", inducing_points=8, random_state=0), Y),
    "sampler-three": (functionspace.ProjectedLangevinClassifier(**SAMPLED), np.digitize(Y, [-0.5, 0.5])),
    "wasserstein-three": (functionspace.GaussianWassersteinClassifier(**POINTS), np.digitize(Y, [-0.5, 0.5])),
    "wasserstein-network": (functionspace.GaussianWassersteinRegressor(hidden=(4,), **POINTS), Y),
    "networks-classes": (networks.EnsembleClassifier(**NETWORKS), np.digitize(Y, [-0.5, 0.5])),
    "networks-kernel": (
        networks.EnsembleRegressor(
            method="DRE", kernel=pg.kernels.OnOutputs(pg.kernels.SquaredExponential("median"), X[:4]), **NETWORKS
        ),
        Y,
    ),
}  # fmt: skip


def told(call, words):
    refuse(call, re.escape(words))


@pytest.fixture(scope="module")
def sparse():
    return CASES["sparse"][0].fit(X, Y)


def answers(model):
    """Everything that a model says about new inputs."""
    new = np.linspace(-3.0, 3.0, 14).reshape(7, 2)
    names = ("predict", "predict_proba", "sample_functions", "disagreement", "sample_probabilities")
    found = [getattr(model, name)(new) for name in names if hasattr(model, name)]
    if hasattr(model, "target_scale_"):
        found += model.predict(new, return_std=True)
    return found


def same(one, other):
    first, second = answers(one), answers(other)
    return len(first) == len(second) and all(map(np.array_equal, first, second)) and repr(one) == repr(other)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.sample("sparse", "sparse-classes", "wasserstein", "networks")
def test_predictions_after_load_are_the_same_bytes(case, tmp_path):
    model, y = CASES[case]
    model.fit(X, y)
    place = model.save(tmp_path / "model.npz")
    again = type(model).load(place)
    assert same(model, again) and vars(model).keys() == vars(again).keys()
    assert same(model, pg.load(place)) and same(model, pickle.loads(pickle.dumps(model)))
    assert again.save(tmp_path / "again.npz").read_bytes() == place.read_bytes()
    assert not same(model, type(model)(**{**model.get_params(), "random_state": 1}).fit(X[1:], y[1:]))


@pytest.mark.thorough
def test_a_new_process_predicts_the_same(sparse, tmp_path):
    sparse.save(tmp_path / "model.npz")
    code = "import sys, particlegvi as pg; m = pg.load(sys.argv[1]); print(m.predict([[0.5, 0.25]])[0].hex())"
    call = [sys.executable, "-c", f"{code}; print(m.certify().kl.hex())", tmp_path / "model.npz"]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [sparse.predict([[0.5, 0.25]])[0].hex(), sparse.certify().kl.hex()]


def test_names_of_columns_and_arrays_that_JSON_has_not_come_back(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"depth": X[:, 0], "load": X[:, 1]})
    model = functionspace.SparseGaussianProcessRegressor(**{**POINTS, "certified_gap": np.float64(0.2)}).fit(frame, Y)
    model.of_mine_ = {"infinite": [np.inf, -0.0], "none": np.array(1.5), "few": np.arange(3, dtype=np.int8)}
    again = type(model).load(model.save(tmp_path / "model.npz"))
    assert again.feature_names_in_.tolist() == ["depth", "load"] and again.feature_names_in_.dtype == object
    assert np.array_equal(again.predict(frame), model.predict(frame))
    assert again.of_mine_["infinite"] == [np.inf, 0.0] and np.signbit(again.of_mine_["infinite"][1])
    assert again.of_mine_["none"].shape == () and again.of_mine_["few"].dtype == np.int8


def test_a_potential_says_that_it_needs_the_data(tmp_path):
    model = functionspace.ProjectedLangevinRegressor(**SAMPLED).fit(X, Y)
    again = model.load(model.save(tmp_path / "model.npz"))
    told(lambda: again.sampler_.potential(again.sampler_.coefficients_), "potential needs the data of a fit")


def test_nothing_is_overwritten_and_nothing_is_written_where_it_cannot_be_whole(sparse, tmp_path):
    place = sparse.save(tmp_path / "model.npz")
    told(lambda: sparse.save(place), "exists already; choose another name, or say --overwrite (overwrite=True)")
    assert sparse.save(place, overwrite=True) == place
    told(lambda: sparse.save(tmp_path / "model.joblib"), "path must be a file that ends in .npz")
    told(lambda: sparse.save(tmp_path / "none" / "model.npz"), "path must be in a folder that exists")
    with pytest.raises(NotFittedError):
        functionspace.SparseGaussianProcessRegressor().save(tmp_path / "other.npz")
    state = np.random.RandomState(0)
    of_state = functionspace.SparseGaussianProcessRegressor(**{**POINTS, "random_state": state}).fit(X, Y)
    told(lambda: of_state.save(tmp_path / "other.npz"), "cannot be saved: random_state must be a number, a text")
    assert [each.name for each in tmp_path.iterdir()] == ["model.npz"]


def test_a_covariance_of_a_user_must_be_registered_to_be_saved(tmp_path, monkeypatch):
    from particlegvi.tools import plugins

    monkeypatch.setattr(plugins, "_registered", {}, raising=False)
    model = functionspace.SparseGaussianProcessRegressor(kernel=OwnProfile(0.5), **POINTS).fit(X, Y)
    assert same(model, pickle.loads(pickle.dumps(model)))
    told(lambda: model.save(tmp_path / "model.npz"), "kernel must be a number, a text, an array, or a part that is")
    functionspace.covariances.register(OwnProfile)
    assert same(model, model.load(model.save(tmp_path / "model.npz")))


def altered(sparse, tmp_path, **entries):
    """The file of a model with other entries in its manifest."""
    manifest = bundle.read(sparse.save(tmp_path / "model.npz", overwrite=True), "particlegvi estimator")
    bundle.write(tmp_path / "altered.npz", {**manifest, **entries})
    return tmp_path / "altered.npz"


def test_other_files_are_refused_in_one_sentence(sparse, tmp_path):
    load = functionspace.Estimator.load
    told(lambda: load(tmp_path / "none.npz"), "none.npz cannot be read: No such file")
    told(lambda: load(tmp_path), "cannot be read: Is a directory")
    told(lambda: load(3), "path must be the path of a file, not 3")
    for content, words in (
        (b"", "File is not a zip file"),
        (pickle.dumps(sparse), "File is not a zip file"),
        (b"PK\x05\x06", "not a zip"),
    ):
        (tmp_path / "other.npz").write_bytes(content)
        told(lambda: load(tmp_path / "other.npz"), words)
    np.savez(tmp_path / "numpy.npz", a=np.ones(3))
    told(lambda: pg.load(tmp_path / "numpy.npz"), "it has no manifest.json")
    told(lambda: load(altered(sparse, tmp_path, schema=2)), "has the schema 2; this version reads 1")
    told(lambda: load(altered(sparse, tmp_path, format="others")), "it is not a file of particlegvi estimator")
    told(lambda: load(altered(sparse, tmp_path, **{"class": "Nobody"})), "of the class Estimator, not 'Nobody'")
    told(lambda: networks.EnsembleRegressor.load(tmp_path / "model.npz"), "of the class EnsembleRegressor, not")
    told(lambda: load(altered(sparse, tmp_path, state={"input_mean_": [0.0]})), "is damaged, or its parts are not")
    told(lambda: load(altered(sparse, tmp_path, state={"predict": 3.0})), "it has attributes that no fit sets")
    told(lambda: load(altered(sparse, tmp_path, state=[1.0])), "is damaged")
    kept = sparse.__getstate__()
    kept["model_"]["settings"]["kernel"] = {"$class": "covariance", "name": "cold", "settings": {}}
    told(lambda: load(altered(sparse, tmp_path, state=kept)), 'there is no covariance "cold"')
    kept = sparse.__getstate__()
    kept["model_"]["fitted"]["settings"]["mean"] = np.ones(3)
    told(lambda: load(altered(sparse, tmp_path, state=kept)), "is damaged, or its parts are not here")


def test_a_file_is_measured_before_it_is_believed(sparse, tmp_path):
    """A small file that promises much: compressed, with a long shape, or with many members at one place."""
    place, load = tmp_path / "bomb.npz", functionspace.Estimator.load
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", b" " * 10**7)
    told(lambda: load(place), "it has compressed members, or too many")
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("manifest.json", json.dumps({"format": "particlegvi estimator", "state": {"$array": 0}}))
        archive.writestr("array_0.npy", header.getvalue())
    told(lambda: load(place), "an array is not as long as its shape needs")
    place.write_bytes(b"PK\x01\x02" * 10_001)
    told(lambda: load(place), "it has compressed members, or too many")
    wide = {"$values": ["a"] * 10_000, "type": "<U9999", "shape": [10_000]}
    bundle.write(place, {"format": "particlegvi estimator", "state": wide})
    told(lambda: load(place), "an array does not hold plain numbers or texts")
    with zipfile.ZipFile(place, "w") as archive:
        header = io.BytesIO()
        np.save(header, np.ones(3))
        archive.writestr("array_0.npy", header.getvalue())
        twice = [{"$array": 0, "columns_first": False}] * 2
        archive.writestr("manifest.json", json.dumps({"format": "particlegvi estimator", "state": twice}))
    told(lambda: load(place), "an array is in two places")
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("manifest.json", b" " * 10**6)
        archive.filelist = [archive.filelist[0]] * 100
    told(lambda: load(place), "it has compressed members, or too many")


def test_a_damaged_file_is_refused_or_says_the_same(sparse, tmp_path, rng):
    content = sparse.save(tmp_path / "model.npz").read_bytes()
    place, noticed = tmp_path / "damaged.npz", 0
    for cut in range(0, len(content), len(content) // 20):
        place.write_bytes(content[:cut])
        told(lambda: sparse.load(place), "damaged.npz")
    for at in rng.integers(len(content), size=60):
        place.write_bytes(content[:at] + bytes([content[at] ^ (1 << int(rng.integers(8)))]) + content[at + 1 :])
        try:
            assert same(sparse, sparse.load(place))
        except ValueError as error:
            assert "damaged.npz" in str(error) and "\n" not in str(error)
            noticed += 1
    assert noticed > 45  # what is left are dates and attributes of members


@pytest.mark.needs("skops")
@pytest.mark.parametrize("case", CASES)
def test_skops_dumps_and_loads_every_estimator_with_its_class_alone_to_trust(case):
    from skops import io as skops_io

    model, y = CASES[case]
    content = skops_io.dumps(model.fit(X, y))
    trusted = skops_io.get_untrusted_types(data=content)
    assert trusted == [f"{type(model).__module__}.{type(model).__name__}"]
    assert same(model, skops_io.loads(content, trusted=trusted))


def test_estimators_and_their_bases_are_listed():
    assert {"Estimator", "Regressor", "ProjectedLangevinEstimator"} <= {*dir(functionspace)}
    assert {type(model).__name__ for model, _ in CASES.values()} <= {*dir(functionspace), *dir(networks)}
    assert {"EnsembleClassifier", "EnsembleEstimator", "EnsembleRegressor", "Network"} <= {*dir(networks)}
    assert issubclass(networks.EnsembleEstimator, functionspace.Estimator)

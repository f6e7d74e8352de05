"""The names of particlegvi.functionspace, and the contracts that its parts keep."""

import numpy as np
import pytest

from particlegvi import contracts
from particlegvi.functionspace import basis, covariances, likelihoods
from particlegvi.scenario.kinds.functions import methods

PARAMETERS = {
    "gaussian": {"noise_variance": 0.1},
    "student-t": {"degrees_of_freedom": 4.0, "scale": 0.3},
    "shifted-mixture": {"shift": 2.0, "noise_variance": 0.1},
}
LIKELIHOODS = [likelihoods.get(name, **PARAMETERS.get(name, {})) for name in likelihoods.names()]
COVARIANCES = [covariances.get(name) for name in covariances.names()]
BASES = [
    basis.Nystroem(covariances.get("squared-exponential"), np.linspace(0.0, 1.0, 4)),
    basis.Projection(covariances.get("squared-exponential"), np.linspace(0.0, 1.0, 4)),
    basis.Mercer(covariances.get("squared-exponential"), size=4),
]


def missing(thing, contract):
    members = [name for name in vars(contract) if not name.startswith("_") or name == "__call__"]
    assert members
    return [name for name in members if not hasattr(thing, name)]


@pytest.mark.parametrize(
    ("parts", "contract"),
    [(LIKELIHOODS, contracts.Likelihood), (COVARIANCES, contracts.Covariance), (BASES, contracts.Basis),
     ([methods.get(name) for name in methods.names()], contracts.Model)],
)  # fmt: skip
def test_every_part_has_the_members_of_its_contract(parts, contract):
    assert parts
    assert {type(part).__name__: missing(part, contract) for part in parts if missing(part, contract)} == {}


def test_a_missing_member_is_reported():
    class Nameless:
        size = inputs = 1
        covariance = features = prior_variances = state = facts = None

    assert missing(Nameless(), contracts.Basis) == ["name"]

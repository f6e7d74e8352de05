"""The bases of all estimators, of functions and of networks: checked data, scales of inputs and targets, a seed."""

from __future__ import annotations

import numbers
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from particlegvi.contracts import Array
from particlegvi.functionspace import preprocessing
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.gp.hyperparameters import (
    classification_covariance,
    default_kernel,
    regression_covariance,
)
from particlegvi.tools import arguments
from particlegvi.tools.calls import shares_parameters
from particlegvi.tools.html import Card

RandomState: TypeAlias = int | np.random.RandomState | None
NOISE = 0.1  # noise variance at the start of a search, for scaled targets


@dataclass(eq=False, repr=False)
class Estimator(Card, BaseEstimator):
    """Base class of all estimators. The fields of the dataclass are the parameters that scikit-learn sees.

    Parameters
    ----------
    standardise : bool
        Whether inputs (and, in regression, targets) are scaled to mean 0 and standard deviation 1 first. Predictions
        are always in the units of the targets.
    random_state : int, RandomState or None
    """

    _: KW_ONLY
    standardise: bool = True
    random_state: RandomState = None
    result: ClassVar[str] = "model_"  # the attribute that a fit sets last

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        # Notebooks call this method first. Our card shows the fitted results; the diagram of scikit-learn does not.
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def __sklearn_is_fitted__(self) -> bool:
        return self.result in vars(self)

    def _read(self, X: ArrayLike, y: ArrayLike, **rules: bool | int) -> tuple[Array, np.ndarray, int]:
        """Check inputs and targets; return scaled inputs, unscaled targets and a seed."""
        arguments.flag("standardise", self.standardise)
        inputs, targets = self._validated(X, y, **rules)
        seed = self._seed()
        self.input_scale_ = _sd("X", inputs) if self.standardise else np.ones(inputs.shape[1])
        self.input_mean_ = inputs.mean(axis=0) if self.standardise else np.zeros(inputs.shape[1])
        return (inputs - self.input_mean_) / self.input_scale_, targets, seed

    def _seed(self) -> int:
        """A seed of the package from ``random_state`` of scikit-learn; a whole number is the seed itself."""
        if isinstance(self.random_state, numbers.Integral):
            return arguments.seed(int(self.random_state))
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _held_out(self, rows: int, fraction: float, seed: int, purpose: str) -> tuple[np.ndarray, np.ndarray]:
        """Row numbers for training, and rows held out for this purpose: none if a part would have fewer than two."""
        order = preprocessing.order(seed, purpose, rows)
        held = int(round(fraction * rows))
        held = held if min(held, rows - held) >= 2 else 0
        return np.sort(order[held:]), np.sort(order[:held])

    def _inputs(self, X: ArrayLike) -> Array:
        """Checked and scaled inputs of a fitted estimator."""
        check_is_fitted(self)
        return np.ascontiguousarray((self._validated(X, reset=False) - self.input_mean_) / self.input_scale_)

    def _validated(self, *data: ArrayLike, **rules: bool | int) -> Any:
        """Arrays that passed the checks of scikit-learn."""
        try:
            return validate_data(self, *data, dtype=np.float64, **rules)
        except OverflowError as error:  # scikit-learn lets this error through
            raise ValueError(f"the data hold a number that is too large: {error}") from None


@shares_parameters()
class Regressor(RegressorMixin, Estimator):
    """Base class of estimators of numbers with noise. Attributes: ``target_mean_`` and ``target_scale_``."""

    def _read_numbers(self, X: ArrayLike, y: ArrayLike) -> tuple[Array, Array, int]:
        """Scaled inputs, scaled targets and a seed."""
        x, targets, seed = self._read(X, y, y_numeric=True, ensure_min_samples=2)
        t = targets.astype(np.float64)
        self.target_scale_ = float(_sd("y", t)) if self.standardise else 1.0
        self.target_mean_ = float(t.mean()) if self.standardise else 0.0
        return x, (t - self.target_mean_) / self.target_scale_, seed

    def _in_units(self, functions: Array) -> Array:
        return self.target_mean_ + self.target_scale_ * functions

    def _observed(self, x: Array) -> tuple[Array, Array]:
        """The mean and the standard deviation of a new scaled target at scaled inputs."""
        mean, sd = vars(self)[self.result].predict(x, return_std=True, of="target")
        return mean, sd

    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """The mean of a new observation, (n,), and with ``return_std`` its standard deviation with noise, (n,)."""
        mean, sd = self._observed(self._inputs(X))
        return (self._in_units(mean), self.target_scale_ * sd) if return_std else self._in_units(mean)


@shares_parameters()
class Classifier(ClassifierMixin, Estimator):
    """Base class of estimators of labels. Attribute: ``classes_``, an array (classes,), sorted."""

    def _read_labels(self, X: ArrayLike, y: ArrayLike) -> tuple[Array, np.ndarray, int]:
        """Scaled inputs, the numbers 0, 1, ... of the classes, and a seed."""
        x, targets, seed = self._read(X, y)
        check_classification_targets(targets)
        self.classes_, labels = np.unique(targets, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y must hold two classes or more, not one class alone, {self.classes_.tolist()[0]!r}")
        return x, labels, seed

    def predict_proba(self, X: ArrayLike) -> Array:
        """The probabilities of the classes, (n, classes), averaged over the posterior."""
        raise NotImplementedError

    def predict(self, X: ArrayLike) -> np.ndarray:
        """The most probable class, (n,)."""
        likely = self.predict_proba(X)
        return self.classes_[np.argmax(likely, axis=1)]


def _sd(key: str, columns: Array) -> Array:
    """The standard deviation of each column; a ValueError if a number is so large that its square overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        sd = preprocessing.column_sd(columns)
    if not np.all(np.isfinite(sd)):
        raise arguments.refuse(key, float(np.abs(columns).max()), "numbers whose squares are finite")
    return sd


class KernelSearch:
    """Mixin of estimators with a kernel. Attribute: ``kernel_``, the covariance that was used.

    Parameters
    ----------
    kernel : Covariance or a kernel of particlegvi.kernels, optional
        Covariance of the function, by default a squared exponential with a lengthscale for each input, or for labels
        with one for all inputs. With ``fit_kernel`` it is the start of the search for hyperparameters.
    fit_kernel : bool
        Whether hyperparameters are fitted to the training rows.
    inducing_points : int
        Largest number of inducing points, which are chosen greedily among the rows.
    noise_variance : float
        Noise variance of an observation, in squared units of the target (of the scaled target, if ``standardise``).
        With ``fit_kernel`` it is the start of the search.
    """

    kernel: KernelLike | None
    fit_kernel: bool
    inducing_points: int
    kernel_: KernelLike

    def _check_kernel(self) -> None:
        """Refuse wrong settings that neither scikit-learn nor the model checks."""
        arguments.flag("fit_kernel", self.fit_kernel)
        arguments.whole("inducing_points", self.inducing_points, 1)

    def _at_most(self, rows: int) -> int:
        """The number of inducing points: as set, but at most the number of rows."""
        return min(arguments.whole("inducing_points", self.inducing_points, 1), rows)

    def _regression_kernel(self, x: Array, t: Array, noise: float, seed: int) -> tuple[KernelLike, float]:
        """The kernel and the noise variance for scaled targets: fitted from these starts, or the starts unchanged."""
        kernel = default_kernel(x.shape[1]) if self.kernel is None else self.kernel
        return regression_covariance(x, t, kernel, noise, seed) if self.fit_kernel else (kernel, noise)


class KernelClassifier(KernelSearch, Classifier):
    """Base class of estimators of labels with a kernel, by default with one lengthscale for all inputs."""

    def _read_classes(self, X: ArrayLike, y: ArrayLike) -> tuple[Array, np.ndarray, int]:
        """Scaled inputs, labels 0, 1, ..., and a seed, after a search for the kernel."""
        self._check_kernel()
        x, labels, seed = self._read_labels(X, y)
        kernel = default_kernel(x.shape[1], shared=True) if self.kernel is None else self.kernel
        self.kernel_ = classification_covariance(x, labels, kernel, seed) if self.fit_kernel else kernel
        return x, labels, seed

"""Classification in two or more classes by an ensemble of networks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.estimators.base import Classifier
from particlegvi.networks.estimators.estimator import EnsembleEstimator
from particlegvi.networks.mixtures import class_probabilities, mutual_information

SMALLEST = 1e-300


@dataclass(eq=False, repr=False)
class EnsembleClassifier(EnsembleEstimator, Classifier):
    """Classification by an ensemble of networks, which predicts the mean of the members' probabilities.

    The cost is "logistic" for two classes and "softmax" for more. The default kl_weight of DLE and DRLE is 1 / n.

    Parameters
    ----------
    method, hidden, activation, parameterisation, particles, steps, step_size, batch_size, kl_weight, mmd_weight, \
    kernel, context, validation_fraction, standardise, random_state
        See `EnsembleEstimator`.

    Attributes
    ----------
    classes_ : array (classes,)
        The labels, sorted.
    network_, particles_, kl_weight_, steps_, step_size_, rows_held_, facts_
        See `EnsembleEstimator`.
    """

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit inputs (n, features) and labels (n,) of any type, with two or more classes."""
        self._check_settings()
        x, labels, seed = self._read_labels(X, y)
        t = labels.astype(np.float64)
        rows, held = self._split(len(t), seed)
        two = len(self.classes_) == 2
        network = self._network(x.shape[1], 1 if two else len(self.classes_))
        loss = self._loss(network, x[rows], t[rows], "logistic" if two else "softmax")
        x_held = np.ascontiguousarray(x[held])

        def score(particles: Array) -> float:
            likely = class_probabilities(network.predict(particles, x_held)).mean(axis=0)
            return -float(np.mean(np.log(np.maximum(likely[np.arange(len(held)), labels[held]], SMALLEST))))

        weight = float(self.kl_weight) if self.kl_weight is not None else loss.kl_weight()
        self._keep(loss, self._train(loss, weight, score, seed), weight)
        return self

    def predict_proba(self, X: ArrayLike) -> Array:
        """The probabilities of the classes, (n, classes), averaged over the members."""
        return self.sample_probabilities(X).mean(axis=0)

    def sample_probabilities(self, X: ArrayLike) -> Array:
        """The probabilities of each member, (particles, n, classes)."""
        x = self._inputs(X)
        return class_probabilities(self.network_.predict(self.particles_, x))

    def disagreement(self, X: ArrayLike) -> Array:
        """The mutual information of label and member in nats, (n,): entropy of the mean less the mean of the entropies.

        It is 0 if all members predict the same probabilities, however unsure, and at most log(classes).
        """
        return mutual_information(self.sample_probabilities(X))

"""The parameters of estimators with a kernel, and the search for its hyperparameters on the training rows."""

from __future__ import annotations

from particlegvi.contracts import Array
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.gp.automatic import classification_covariance, default_kernel, regression_covariance
from particlegvi.tools import arguments

NOISE = 0.1  # noise variance at the start of a search, for scaled targets


class KernelSearch:
    """Mixin of estimators with the parameters ``kernel``, ``fit_kernel`` and ``inducing_points``.

    Attribute: ``kernel_``, the covariance that was used.
    """

    kernel: KernelLike | None
    fit_kernel: bool
    inducing_points: int | str
    kernel_: KernelLike

    def _check_kernel(self) -> None:
        """Refuse wrong settings that neither scikit-learn nor the model checks."""
        arguments.flag("fit_kernel", self.fit_kernel)
        if not isinstance(self.inducing_points, str):
            arguments.whole("inducing_points", self.inducing_points, 1)

    def _at_most(self, rows: int) -> int:
        """The number of inducing points: as set, but at most the number of rows."""
        return min(arguments.whole("inducing_points", self.inducing_points, 1), rows)

    def _regression_kernel(self, x: Array, t: Array, noise: float, seed: int) -> tuple[KernelLike, float]:
        """The kernel and the noise variance for scaled targets: fitted from these starts, or the starts unchanged."""
        kernel = default_kernel(x.shape[1]) if self.kernel is None else self.kernel
        return regression_covariance(x, t, kernel, noise, seed) if self.fit_kernel else (kernel, noise)

    def _classification_kernel(self, x: Array, labels: Array, seed: int) -> KernelLike:
        """The kernel for labels 0 and 1. The default one has one lengthscale for all inputs."""
        kernel = default_kernel(x.shape[1], shared=True) if self.kernel is None else self.kernel
        return classification_covariance(x, labels, kernel, seed) if self.fit_kernel else kernel

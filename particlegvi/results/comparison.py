"""The runs of several methods on one problem, as `particlegvi.compare` gives them."""

from __future__ import annotations

from particlegvi.results.runs import Runs


class Comparison(Runs):
    """Runs by label from one start and with one noise; ``scenario`` says what was compared, and is no file.

    They have what `particlegvi.results.Results` have but a folder: ``targets``, ``summary``, ``table()``,
    ``describe()``, ``plot()`` and ``at()``.
    """

    @property
    def name(self) -> str:
        """The name of the loss."""
        return str(self.parts.loss.name)

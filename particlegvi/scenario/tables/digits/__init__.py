"""Images of digits with classes held out: what several classes of functions say about digits that they have never seen.

scikit-learn's 1,797 images of 8 x 8 pixels stand in the place of the images of the thesis's Table 4.2. ``images`` has
the settings, prepares the data, and has the models and their scores.
"""

from __future__ import annotations

from particlegvi.scenario.tables.digits.images import ROWS, DigitsSettings, problem, score
from particlegvi.scenario.tables.table import Table

__all__ = ["DigitsSettings", "DigitsTable"]


class DigitsTable(Table):
    """The finished cells of the table of digits."""

    problem = staticmethod(problem)
    score = staticmethod(score)
    titles = {
        "elsewhere": "Area under the curve (%): the entropy tells digits that were held out from test rows",
        "accuracy": "Accuracy on the test rows of the other digits (%)",
        "nll": "Negative log-likelihood of these rows",
    }
    labels = {
        "gwi": "GWI", "svgp": "SVGP", "ensemble": "DE", "repulsive": "DRE on outputs", "linear": "linear",
    }  # fmt: skip
    compared = "svgp"
    pictured = ("elsewhere", "nll")
    note = "Means over the splits, and standard deviations over them. The digits of a row are in no training row."

    def title(self, row: str) -> str:
        return ROWS[row][0]

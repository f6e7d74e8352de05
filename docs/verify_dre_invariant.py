"""Draw docs/verify-dre-invariant.png: where particles come to rest without noise and with it, from four starts."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from particlegvi.plotting import style
from particlegvi.verification.claims import starts


def main() -> None:
    with style.slide_style():
        figure = style.new_slide()
        panels = figure.subplots(1, 2, sharey=True)
        for axes, method, title in zip(panels, (starts.STRONG, starts.NOISY), ("DRE", "DRLE"), strict=True):
            ends, _ = starts.resting(method, seed=0, particles=900, steps=20_000, step_size=5e-3)
            for row, end in enumerate(ends.values()):
                shaken = np.random.default_rng(0).uniform(-0.28, 0.28, len(end))
                axes.plot(end, shaken - row, ".", markersize=4, alpha=0.7)
            axes.set(title=title, xlabel=r"parameter $\theta$ at the end", xlim=(-3.2, 2.4), ylim=(-3.5, 0.5))
            axes.set_yticks([-row for row in range(len(ends))], [*ends])
        panels[0].set_ylabel("start")
        figure.savefig(Path(__file__).with_name("verify-dre-invariant.png"))
        plt.close(figure)


if __name__ == "__main__":
    main()

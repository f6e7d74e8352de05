"""
A film for a slide
==================

A film shows what a picture of the end cannot: where particles come from, how fast they move, and when nothing changes
any more.
"""

# %%
# Compare, then animate
# ---------------------
# The suffix of the file chooses the format. Half of the frames show the first tenth of the time, where most of the
# way happens.

import particlegvi as pg

loss = pg.losses.get("tilted-double-well")
prior = pg.priors.Normal(mean=0.0, sd=1.0)
results = pg.compare(loss, ["DE", "DLE"], prior=prior, particles=200, steps=4000, step_size=1e-3, kl_weight=1.0)
film = results.animate("ensembles.gif", frames=24, seconds=5, width=640, overwrite=True)

# %%
# The first and the last picture of it, as figures for a paper: `at` shows the runs as they were at one record.

before = results.at(0).plot()

# %%
after = results.plot()

# %%
# :doc:`/films` has the formats and settings, :doc:`/slides` the sizes and palettes of figures, and :doc:`/live-page`
# a page on which students move the particles themselves.

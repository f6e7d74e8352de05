"""
Stuck behind a barrier
======================

Two valleys, a barrier that noise crosses once in a very long time, and a start with the wrong shares. Jumps repair
it, exactly.
"""

# %%
# A run that looks finished and is not
# ------------------------------------
# The left valley is the deeper one, and nearly all mass of Q* is there. A third of the particles start in the right
# valley.

import particlegvi as pg

loss = pg.Loss.from_formula("0.366*t^4 - 2.419*t^2 + 0.741*t", variables=["t"])
prior = pg.priors.Normal(mean=-0.6, sd=1.6)
settings = {"prior": prior, "particles": 300, "steps": 2000, "step_size": 2e-3, "seed": 0}

plain = pg.simulate(loss, pg.methods.DLE(kl_weight=0.25), **settings)
target = pg.target(loss, plain.method, prior=prior)
figure = plain.plot(target)

# %%
# The particles do not move on any more, and still they are wrong: Q* is the dashed line. The verdict knows it, because
# it compares with the truth:

print(plain.describe())

# %%
# Jumps
# -----
# With `jumps=True` particles also propose places where others are, or draws from the prior. Each proposal is accepted
# or refused, so that the limit stays exactly the same.

jumping = pg.simulate(loss, pg.methods.DLE(kl_weight=0.25, jumps=True), **settings)
after = jumping.plot(target)

# %%
print(jumping.describe())
for name, found in {"plain": plain, "with jumps": jumping}.items():
    print(f"{name}: {(found.final < 0).mean():.3f} of the particles are at the left, and {target.cdf(0.0):.3f} of Q*")

# %%
# :doc:`/equilibrium` explains why neither smaller steps nor more particles help.

"""Q*: what each method's particles are compared with."""

from __future__ import annotations

from typing import Any

from particlegvi.targets.atoms import AtomicTarget
from particlegvi.targets.density import DensityTarget

__all__ = ["AtomicTarget", "DensityTarget", "GaussianOptima", "target"]


def target(loss, method, prior=None, initial=None, seed=0):
    from particlegvi.targets import langevin, start, basins_line
    if method.kl_weight==0: 
        p=start.start_points(initial,loss.dim)
        import numpy as np
        lo,hi=(-np.inf,np.inf) if prior is None else (prior.low[0],prior.high[0])
        if loss.dim==2:
            from particlegvi.targets.basins_plane import basins_in_plane
            lo,hi=(np.full(2,-np.inf),np.full(2,np.inf)) if prior is None else (prior.low,prior.high)
            return basins_in_plane(loss,lo,hi,initial,p)
        return basins_line.basins_on_line(loss,lo,hi,initial,p)
    if method.mmd_weight==0: return langevin.gibbs(loss,prior,method.kl_weight)
    from particlegvi.kernels import resolve
    return langevin.repulsive(loss,prior,method.kl_weight,method.mmd_weight,resolve(method.kernel,prior,None,seed)[0])

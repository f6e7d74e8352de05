# The public names. No module is called run, resume, page, compare, simulate, target or load: importing it would bind its
# name here.
from particlegvi import losses as losses, kernels as kernels, priors as priors, methods as methods
from particlegvi import integrators as integrators, targets as targets, diagnostics as diagnostics
from particlegvi import functionspace as functionspace, networks as networks, plotting as plotting
from particlegvi import datasets as datasets, metrics as metrics
from particlegvi import schedules as schedules, jumps as jumps, calibration as calibration, tables as tables
from particlegvi import scenarios as scenarios
from particlegvi.losses.loss import Loss as Loss
from particlegvi.priors.formula import Prior as Prior
from particlegvi.simulation.run import Run as Run
from particlegvi.tools.errors import Diverged as Diverged
from particlegvi.tools.patience import last_interrupted as last_interrupted
from particlegvi.runs.simulating import simulate as simulate
from particlegvi.runs.sampling import sample as sample
from particlegvi.simulation.sampling.sample import Sample as Sample
from particlegvi.targets import target as target
from particlegvi.runs.execute import run as run
from particlegvi.runs.animate import animate as animate
from particlegvi.sweeps.api import resume as resume, sweep as sweep
from particlegvi.runs.compare import compare as compare
from particlegvi.sweeps.api import load as load
from particlegvi.runs.pages import page as page
from particlegvi.version import __version__ as __version__

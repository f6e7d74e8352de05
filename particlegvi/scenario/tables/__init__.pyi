# The public names, which `particlegvi.tools.lazy.bound` imports.
__all__: list[str]

from particlegvi.scenario.tables.approximation import ApproximationSettings as ApproximationSettings, ApproximationTable as ApproximationTable
from particlegvi.scenario.tables.digits import DigitsSettings as DigitsSettings, DigitsTable as DigitsTable
from particlegvi.scenario.tables.ensembles import EnsembleSettings as EnsembleSettings, EnsembleTable as EnsembleTable
from particlegvi.scenario.tables.functions import ProjectedSettings as ProjectedSettings, ProjectedTable as ProjectedTable
from particlegvi.scenario.tables.functions.protocols import published as published, rows as rows
from particlegvi.scenario.tables.linear import LinearSettings as LinearSettings, LinearTable as LinearTable
from particlegvi.scenario.tables.running import measure as measure, run_table as run_table
from particlegvi.scenario.tables.settings import Task as Task
from particlegvi.scenario.tables.wasserstein import WassersteinSettings as WassersteinSettings, WassersteinTable as WassersteinTable

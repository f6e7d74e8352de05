# The public names, which `particlegvi.tools.lazy.bound` imports.
__all__: list[str]

from particlegvi.scenario.tables.running import measure as measure, run_table as run_table
from particlegvi.scenario.tables.settings import TableSettings as TableSettings, Task as Task
from particlegvi.scenario.tables.table import Table as Table

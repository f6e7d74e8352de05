# The public names, which `particlegvi.tools.lazy.attach` imports at their first use.
__all__: list[str]

from particlegvi.scenario.reading import check as check, decisive as decisive, load as load, text as text

"""The keys of scenarios and the checks of their values."""

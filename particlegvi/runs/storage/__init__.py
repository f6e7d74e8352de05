"""The format of a run's folder. Nothing here knows a kind of scenario or a key of one."""

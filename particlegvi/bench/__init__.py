"""Side by side: the engine against what a user would write instead, in one process, in turn."""

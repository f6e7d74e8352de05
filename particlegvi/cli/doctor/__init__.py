"""The state of this installation, for when something is slow or wrong, and two things to do about it."""

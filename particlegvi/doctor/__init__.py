"""What there is to know about this installation when something is slow or wrong, and two things to do about it."""

"""The version of the package, alone in its file so that everything can import it."""

__version__ = "0.2.0"

"""Every folder of the package with an ``__init__.py``, and the scenario files; all else is in setup.cfg."""

from setuptools import find_packages, setup

setup(packages=[*find_packages(include=["particlegvi", "particlegvi.*"]), "particlegvi.scenario.files"])

"""The claims by name; a file holds those of one family of theorems, and the registry finds them in this folder."""

from typing import Any

from particlegvi.tools.registry import Registry

registry: Registry[Any] = Registry(__name__, "claim")

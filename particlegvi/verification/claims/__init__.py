"""The claims by name, one small file each; the registry finds them in this folder."""

from typing import Any

from particlegvi.tools.registry import Registry

registry: Registry[Any] = Registry(__name__, "claim")

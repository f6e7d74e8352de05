"""The claims by name, one small file each, found by being here."""

from particlegvi.tools.registry import Registry

registry = Registry(__name__, "claim")

"""The claims by name, one small file each, found by being here."""

from particlegvi.registry import Registry

registry = Registry(__name__, "claim")

"""Whether a run fits into this machine: its size is estimated from its settings, before an array is made.

A run works with ``COPIES`` arrays of all particles. It keeps its records in memory if they have at most ``IN_MEMORY``
bytes, and else in a temporary file; a run that is saved writes them into its folder. A run is refused if it needs more
memory than the system, its container or ``ulimit`` leaves, or a larger file than the disk has room for.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

IN_MEMORY = 256 * 2**20  # bytes of records kept in memory
COPIES = 8  # measured: 5 without repulsion, 8 with it on the line
COPIES_BEYOND_THE_LINE = 11  # measured in the plane


def check_run(particles: int, dim: int, steps: int, record_every: int | None, runs: int = 1) -> None:
    """Refuse ``runs`` runs of one size if they would not fit into memory together, with the estimate and a remedy."""
    records = most_records(steps, record_every)
    size = 8 * records * particles * dim
    kept = size if size <= IN_MEMORY else 0
    who = f"particles is {particles} in {dim} dimension{'s' * (dim > 1)}"
    copies = COPIES if dim == 1 else COPIES_BEYOND_THE_LINE
    check(f"{who}, which", 8 * copies * particles * dim + runs * kept, "give fewer particles")
    asked = f"steps is {steps} and record_every keeps {records} records of {particles} particles, which"
    check(asked, 24 * records, "give a larger record_every, or 0 for the two ends")


def check_records(
    particles: int, dim: int, steps: int, record_every: int | None, runs: int = 1, *, folder: Path | None = None
) -> None:
    """Refuse ``runs`` runs whose records would not fit on the disk of ``folder``.

    Without a folder the records go into temporary files, or into memory if they have at most ``IN_MEMORY`` bytes.
    """
    records = most_records(steps, record_every)
    size = 8 * records * particles * dim
    if folder is None and size <= IN_MEMORY:
        return
    asked = f"steps is {steps} and record_every keeps {records} records of {particles} particles, which"
    remedy = "give a larger record_every, or 0 for the two ends"
    check_disk(asked, runs * size, Path(tempfile.gettempdir()) if folder is None else folder, remedy)


def most_records(steps: int, record_every: int | None) -> int:
    """An upper bound, at most two too large, of the number of records that a run keeps."""
    steps = int(steps)  # numpy's small numbers overflow in products
    if record_every is None:
        return min(steps + 1, 200)
    return 2 if record_every == 0 else steps // int(record_every) + 2


def check(subject: str, needed: int, remedy: str) -> None:
    """Refuse what needs more memory than is available."""
    free = available()
    if free is not None and needed > free:
        raise ValueError(
            f"{subject} needs about {gigabytes(needed)} of memory, and {gigabytes(free)} are free; {remedy}"
        )


def check_disk(subject: str, needed: int, folder: Path, remedy: str) -> None:
    """Refuse a file that is larger than the free space on the disk of a folder; the folder may not exist yet."""
    folder = next((place for place in (folder, *folder.absolute().parents) if os.path.isdir(place)), folder)
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return
    if needed > free:
        where = f"{gigabytes(free)} are free in {folder}"
        raise ValueError(f"{subject} needs about {gigabytes(needed)} of disk, and {where}; {remedy}")


def gigabytes(size: int) -> str:
    """A size to three digits."""
    return f"{size / 10**9:.3g} GB"


def available() -> int | None:
    """Bytes of memory that this process can still get; None if the system does not tell."""
    limits = [limit for limit in (_machine(), _container(), _address_space()) if limit is not None]
    return min(limits, default=None)


def _machine() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on every system
        return None


def _container() -> int | None:
    for place in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            return int(Path(place).read_text(encoding="utf-8"))
        except (OSError, ValueError):  # not there, or "max"
            continue
    return None


def _address_space() -> int | None:
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    except (ImportError, OSError, ValueError):
        return None
    return None if limit == resource.RLIM_INFINITY else limit

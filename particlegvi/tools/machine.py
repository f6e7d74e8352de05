"""The machine: whether a run fits into it, and the differences of systems (names of files, caches, processors).

The size of a run is estimated from its settings, before an array is made. A run works with ``COPIES`` arrays of all
particles. It keeps its records in memory if they have at most ``IN_MEMORY`` bytes, and else in a temporary file; a run
that is saved writes them into its folder. A run is refused if it needs more memory than the system, its container or
``ulimit`` leaves, or a larger file than the disk has room for.
"""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path

IN_MEMORY = 256 * 2**20  # bytes of records kept in memory
COPIES = 8  # measured: 5 without repulsion, 8 with it on the line
COPIES_BEYOND_THE_LINE = 11  # measured in the plane
WINDOWS = sys.platform == "win32"
LONGEST_PATH = 260
# Windows opens these whatever the folder and the ending are: no label and no file may have their names.
DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))})


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


def is_device(name: str) -> bool:
    """Whether a name, up to its first full stop, is that of a device on Windows."""
    return name.partition(".")[0].strip().lower() in DEVICES


def too_long(path: str | os.PathLike[str]) -> str:
    """A remark on a path that is too long for Windows; empty on other systems, or for a short one."""
    if not WINDOWS or len(os.path.abspath(path)) < LONGEST_PATH - 100:  # the files inside need some
        return ""
    return f" (Windows takes paths of up to {LONGEST_PATH} characters; choose a shorter one)"


def user_cache_folder() -> Path:
    """The folder for this user's caches: ``$XDG_CACHE_HOME``, or the platform's own folder of caches."""
    if WINDOWS:
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "particlegvi"


def processor() -> str:
    """The model of the processor, as the system names it."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        for line in file:
            name, _, model = line.partition(":")
            if name.strip() == "model name":
                return model.strip()
    return platform.processor() or platform.machine()


def linear_algebra() -> str:
    """The loaded libraries of linear algebra (BLAS), each with the kernels that it has chosen for this processor.

    Other kernels add in another order, so that last digits differ, and signs of eigenvectors.
    """
    import numpy  # noqa: F401 - which loads one
    from threadpoolctl import threadpool_info

    loaded = [library for library in threadpool_info() if library.get("user_api") == "blas"]
    named = {
        f"{library.get('internal_api')} {library.get('architecture') or library.get('version')}" for library in loaded
    }
    return ", ".join(sorted(named)) or "not known"

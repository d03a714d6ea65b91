"""Locks between processes of one machine, kept in the user cache beside no one's data."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from filelock import FileLock, Timeout
from platformdirs import user_cache_dir

from sociolect.generators.errors import InvalidInputError


@contextmanager
def only_one(target: Path) -> Iterator[None]:
    """Let one process at a time work on `target`; the others wait, and say so.

    The lock is in the cache and not beside the target: a lock file must never be removed, and
    nobody wants one left beside a dataset.

    Args:
        target: A resolved path.

    Raises:
        InvalidInputError: The cache cannot be written to.
    """
    name = sha256(str(target).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    folder = Path(user_cache_dir("sociolect")) / "locks"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / f"build-{name}.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            print(f"sociolect: another process builds {target}; waiting for it", file=sys.stderr)
            lock.acquire()
    except OSError as error:
        raise InvalidInputError(
            f"cannot lock {target} in {folder} ({error.strerror}); make it writable, or name "
            "another cache with XDG_CACHE_HOME"
        ) from error
    try:
        yield
    finally:
        lock.release()

"""Files that are either complete or not there."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sociolect.generators.errors import InvalidInputError


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A new file beside `path` that takes its name if the block succeeds, and goes if not.

    Nothing else has its name, so what other commands keep beside `path` stays.

    Raises:
        InvalidInputError: It cannot be written or moved.
    """
    temporary = path.with_name(f".{secrets.token_hex(8)}.unfinished")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        temporary.replace(path)
    except OSError as error:
        raise InvalidInputError(f"cannot write {path}: {error.strerror or error}.") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_whole(content: bytes, path: Path) -> None:
    """Write a file under another name and move it.

    Raises:
        InvalidInputError: It cannot be made.
    """
    with whole_file(path) as temporary:
        temporary.write_bytes(content)

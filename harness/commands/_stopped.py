"""What is said when a command that keeps answers is stopped."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer


@contextmanager
def said_when_stopped(out: Path) -> Iterator[None]:
    """Say how a run goes on that ends early.

    Args:
        out: The file that it makes.
    """
    from sociolect.harness.fable.files import items_file, unfinished_folder

    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        folder = unfinished_folder(items_file(out))
        if folder.is_dir():
            typer.echo(
                f"sociolect: stopped; what is answered is kept in {folder}. The same command goes "
                "on from there",
                err=True,
            )
        raise

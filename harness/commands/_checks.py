"""What the commands that check datasets share."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sociolect.generators.errors import SociolectError, UnknownNameError

TROUBLE = 2
"""Exit code where the question could not be answered; 1 is the answer no."""


@contextmanager
def trouble() -> Iterator[None]:
    """Errors end the program with `TROUBLE`, as those of diff(1) do."""
    try:
        yield
    except SociolectError as error:
        error.exit_code = TROUBLE
        raise


def check_format(name: str, known: Sequence[str]) -> None:
    """Refuse an output format that a command does not have.

    Raises:
        UnknownNameError: It is not among `known`.
    """
    if name not in known:
        raise UnknownNameError("format", name, known)

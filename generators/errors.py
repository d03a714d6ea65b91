"""What can go wrong for a user, with the exit code of the command line.

Every message says what was wrong, where, and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class SociolectError(Exception):
    """Base of every error that a user can cause and mend."""

    exit_code = 1


class UnknownNameError(SociolectError, ValueError):
    """A benchmark, transform, level, part, type or task that does not exist."""

    exit_code = 2

    def __init__(self, kind: str, name: object, known: Iterable[object], hint: str = "") -> None:
        names = [str(k) for k in known]
        near = get_close_matches(str(name), names, n=3, cutoff=0.5)
        message = f"unknown {kind} {str(name)!r}"
        if near:
            message += f"; near matches: {', '.join(near)}"
        shown = ", ".join(names) if len(names) <= 30 else f"{len(names)} names"
        message += f". Known: {shown or 'none'}."
        super().__init__(message + (f" {hint}" if hint else ""))


class InvalidInputError(SociolectError, ValueError):
    """An argument or a text that cannot be used (empty, contradictory)."""

    exit_code = 2


class EditError(SociolectError, ValueError):
    """Edits that overlap, are out of order, or do not match their text."""


class SourceError(SociolectError):
    """A source file that is missing, changed, or malformed."""


class LevelUnreachableError(SociolectError):
    """A level above what the rules can reach on a benchmark."""


class MissingToolError(SociolectError):
    """GNU Aspell, its dictionary, or the spaCy model is not installed."""


class DataError(SociolectError):
    """A built dataset that is incomplete, damaged, or of another version."""


class ResultsError(SociolectError):
    """A results folder without what the command needs."""


class NotComparableError(SociolectError):
    """Two runs that differ in more than the condition."""


class RegistrationError(SociolectError):
    """lm_eval's task folder cannot be written, or holds something that is not ours."""


class ModelError(SociolectError):
    """A model or an adapter that cannot be used: another base, too high a rank, no memory."""


class TrainingError(SociolectError):
    """A training run that cannot go on: nothing to train on, a loss that is no number."""

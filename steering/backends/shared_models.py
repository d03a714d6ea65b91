"""A loaded model and its tokenizer, kept from one run to the next of a process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from sociolect.steering.backends.identity import digest, model_identity

T = TypeVar("T")
_kept: ContextVar[dict[str, tuple[str, Any]] | None] = ContextVar("kept", default=None)


@contextmanager
def sharing_models() -> Iterator[None]:
    """Until the end of the `with` block, `sociolect-hf` loads a model once.

    One that is asked for with the same arguments (but for those that do not load it: steering,
    sizes of batches, where answers are kept) is the one that is there. Of different ones the last
    alone is kept. Strengths of steering are swept so: each run attaches its own vectors while it
    computes, and nothing stays on the model.
    """
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


def shared(kind: str, given: Mapping[str, Any], load: Callable[[], T]) -> T:
    """What `load` returns, or what it returned for the same arguments.

    Args:
        kind: What is loaded; of each kind one is kept.
        given: Everything that decides what is loaded. Local files and folders are looked into.
        load: Called where nothing is kept for `given`.
    """
    kept = _kept.get()
    if kept is None:
        return load()
    key = digest(model_identity(kind, given))
    if kind not in kept or kept[kind][0] != key:
        kept.pop(kind, None)  # before the next is loaded: both may not fit in memory
        kept[kind] = (key, load())
    found: T = kept[kind][1]
    return found

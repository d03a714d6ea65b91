"""lm_eval's `run` command, run by us.

Some of its names are replaced while it runs, because no argument does the same: `TaskManager`, to
hand over the index that already exists (its own takes ten seconds), `simple_evaluate`, to keep
the results that it prints and drops, `get_model`, to have our classes ask servers, and `evaluate`,
to leave out what the context of the model does not hold and to count tokens.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sociolect.generators.errors import UnknownNameError
from sociolect.harness.context_length import LeftOut, guarding
from sociolect.harness.dialect.token_counts import TokenCounts, counting
from sociolect.harness.requested import Requested
from sociolect.steering.backends.registry import BACKENDS, model_class, register_backends


@dataclass(slots=True)
class Kept:
    """What a run leaves for us.

    Attributes:
        results: lm_eval's results; None on all processes but the first.
        cuts: Its messages about prompts that it cut to fit the context of the model.
        left_out: Prompts of our tasks that the context of the model does not hold.
        tokens: Of the continuations of the dialect tasks.
    """

    results: dict[str, Any] | None = None
    cuts: list[str] = field(default_factory=list)
    left_out: LeftOut = field(default_factory=LeftOut)
    tokens: TokenCounts = field(default_factory=TokenCounts)


def check_model(name: object) -> None:
    """Make sure that lm_eval knows a model backend, ours among them.

    Raises:
        UnknownNameError: It knows none of this name.
    """
    from lm_eval.api.registry import model_registry

    register_backends()
    if isinstance(name, str) and name not in model_registry:
        raise UnknownNameError(
            "model backend",
            name,
            sorted(model_registry.keys()),
            hint=f"Those of sociolect: {', '.join(sorted(BACKENDS))}.",
        )


def run_lm_eval(namespace: argparse.Namespace, requested: Requested) -> Kept:
    """Run lm_eval with parsed arguments and tasks that were looked up."""
    import lm_eval
    import lm_eval.api.registry
    import lm_eval.tasks
    from lm_eval.evaluator import simple_evaluate

    kept = Kept()
    own = frozenset(task.name for task in requested.tasks)

    def keeping(*args: Any, **kwargs: Any) -> Any:
        kept.results = simple_evaluate(*args, **kwargs)
        return kept.results

    with (
        _replaced(lm_eval.tasks, "TaskManager", lambda **_: requested.manager),
        _replaced(lm_eval, "simple_evaluate", keeping),
        _replaced(lm_eval.api.registry, "get_model", model_class),
        counting(own, kept.tokens),  # before what leaves requests out
        guarding(own, kept.left_out),
        _listening(kept.cuts),
    ):
        namespace.func(namespace)
    return kept


class _CutListener(logging.Handler):
    """Collects warnings about truncated prompts; lm_eval goes on after them."""

    def __init__(self, found: list[str]) -> None:
        super().__init__(logging.WARNING)
        self._found = found

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if "truncat" in message.lower():
            self._found.append(message)


@contextmanager
def _listening(found: list[str]) -> Iterator[None]:
    logger, listener = logging.getLogger("lm_eval"), _CutListener(found)
    logger.addHandler(listener)
    try:
        yield
    finally:
        logger.removeHandler(listener)


@contextmanager
def _replaced(module: Any, name: str, value: Any) -> Iterator[None]:
    original = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, original)

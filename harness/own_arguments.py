"""Arguments of `sociolect eval` that lm_eval does not have."""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import dataclass, fields
from typing import Any

from sociolect.generators.errors import InvalidInputError


@dataclass(frozen=True, slots=True)
class OwnArguments:
    """What was asked of us rather than of lm_eval.

    Attributes:
        dry_run: Resolve and count everything, load no model.
        tokens_per_second: Measured speed of generation; None if it is not known.
        prompt_tokens_per_second: Measured speed of reading prompts; None for the same.
        tokens_per_answer: Expected length of an answer; None for the most that a task allows.
    """

    dry_run: bool = False
    tokens_per_second: float | None = None
    prompt_tokens_per_second: float | None = None
    tokens_per_answer: float | None = None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add our arguments to lm_eval's parser, as a group of the help; broken JSON is explained."""
    _explain_json(parser)
    group = parser.add_argument_group("added by sociolect")
    group.add_argument(
        "--dry-run",
        action="store_true",
        help="Load no model: resolve tasks, arguments, model and adapter, count prompts, answers "
        "and tokens, and say what is finished already. Exit code 0 only if all is well",
    )
    group.add_argument(
        "--tokens-per-second",
        type=_positive,
        metavar="<n>",
        help="With --dry-run: hours at this measured speed. Default: that of the chunks that are "
        "finished already, if any",
    )
    group.add_argument(
        "--prompt-tokens-per-second",
        type=_positive,
        metavar="<n>",
        help="With --dry-run: speed of reading prompts. Default: --tokens-per-second, which "
        "gives an upper bound",
    )
    group.add_argument(
        "--tokens-per-answer",
        type=_positive,
        metavar="<n>",
        help="With --dry-run: expected length of an answer. Default: that of the finished "
        "chunks, else the most that the task allows",
    )


def _explain_json(parser: argparse.ArgumentParser) -> None:
    from lm_eval._cli.utils import MergeDictAction

    class Explained(MergeDictAction):  # type: ignore[misc]  # lm_eval has no types
        """Takes every first value with a `{` for JSON, as lm_eval does, and says what is wrong."""

        def __call__(
            self, parser: Any, namespace: Any, values: Any, option_string: str | None = None
        ) -> None:
            if values and "{" in values[0]:
                _check_json(option_string or self.dest, values[0])
            super().__call__(parser, namespace, values, option_string)

    for action in parser._actions:
        if type(action) is MergeDictAction:
            action.__class__ = Explained


def _check_json(option: str, text: str) -> None:
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        wanted = (
            ""
            if text.lstrip().startswith("{")
            else "A value that holds { is only taken as JSON, all arguments in one object. "
        )
        raise InvalidInputError(
            f"{option} is no JSON: {error}. {wanted}For example: {option} "
            """'{"name": "value", "other": 2}'"""
        ) from None


def take_arguments(namespace: argparse.Namespace) -> OwnArguments:
    """Take our arguments out of a parsed command line, before lm_eval looks at it."""
    values = {}
    for one in fields(OwnArguments):
        values[one.name] = getattr(namespace, one.name)
        delattr(namespace, one.name)
    return OwnArguments(**values)


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return value

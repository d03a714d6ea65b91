"""Arguments of `sociolect eval` from a sweep's file to a command line."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NoReturn

from sociolect.generators.errors import InvalidInputError

SET_BY_SWEEP = frozenset(
    ("help", "config", "model", "model_args", "tasks", "output_path", "log_samples", "dry_run")
)
"""Arguments that are not for a file of a sweep to give."""


@lru_cache(maxsize=1)
def _parser() -> argparse.ArgumentParser:
    """lm_eval's parser, alone: what `sociolect eval` adds takes seconds to import."""
    try:
        from lm_eval._cli.run import Run
    except ImportError:
        from sociolect.harness.evaluate import build_parser

        return build_parser()  # says which version is needed
    commands = argparse.ArgumentParser(prog="sociolect").add_subparsers()
    Run.create(commands)
    parser: argparse.ArgumentParser = commands.choices["run"]

    def refuse(message: str) -> NoReturn:
        raise InvalidInputError(message)

    parser.error = refuse  # type: ignore[method-assign]  # it would end the process
    return parser


def _actions() -> dict[str, argparse.Action]:
    """By long name without dashes, as lm_eval writes it."""
    return {
        option.removeprefix("--"): action
        for action in _parser()._actions
        for option in action.option_strings
        if option.startswith("--")
    }


def known() -> list[str]:
    """Names of the arguments that a file of a sweep may give."""
    return sorted(name for name, one in _actions().items() if one.dest not in SET_BY_SWEEP)


def words(arguments: Mapping[str, Any]) -> list[str]:
    """Words of a command line.

    Args:
        arguments: By long name; `true` is a flag, a mapping becomes JSON, `false` and `None` leave
            an argument out.

    Raises:
        InvalidInputError: A value that the argument cannot have.
    """
    return [word for name, value in arguments.items() for word in _words(name, value)]


def _words(name: str, value: Any) -> Sequence[str]:
    action = _actions()[name]
    option = f"--{name}"
    if value is None:
        return ()
    if isinstance(value, bool):
        return _switch(option, value, action)
    if action.nargs == 0:
        raise InvalidInputError(f"{name} is switched on or off: give true or false")
    if isinstance(value, Mapping):
        text = json.dumps(value, ensure_ascii=False)
    elif isinstance(value, list):
        text = ",".join(str(one) for one in value)
    else:
        text = str(value)
    return (f"{option}={text}",) if text.startswith("-") else (option, text)


def _switch(option: str, value: bool, action: argparse.Action) -> Sequence[str]:
    if action.nargs not in (0, "?"):
        raise InvalidInputError(f"{option[2:]} is no switch: give a value, not {value}".lower())
    if value:
        return (option,)
    # One that is on by itself in some runs is switched off by its value.
    return () if action.nargs == 0 or action.type is str else (option, "false")


def check(line: Sequence[str]) -> None:
    """Have lm_eval's own parser read a command line.

    Raises:
        InvalidInputError: It refuses it.
    """
    _parser().parse_args(list(line))

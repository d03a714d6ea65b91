"""YAML with the line of every value, and without what YAML reads otherwise than it looks.

Nothing but text, numbers, `true`, `false` and `null` is made from it: tags, anchors and merge keys
are refused, and so is a value that YAML 1.1 takes for something else than most readers do (`no` is
false, `010` is 8, `1:30` is 90).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from sociolect.generators.errors import InvalidInputError
from sociolect.harness.sheets import printable

_TAG = "tag:yaml.org,2002:"
_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_DIGITS = 300
"""More than any number here has; Python reads no more than some thousand."""
_DECIMAL = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
_SMALL = re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+][0-9]+")
_EITHER = re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][0-9]+")
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Marked:
    """A value and where it stands.

    Attributes:
        value: Text, number, `bool`, `None`, a list or a mapping of text to such values.
        place: The file and the line, `sweep.yaml:12`.
    """

    value: str | int | float | bool | list[Marked] | dict[str, Marked] | None
    place: str

    def plain(self) -> Any:
        """The value without places."""
        if isinstance(self.value, list):
            return [one.plain() for one in self.value]
        if isinstance(self.value, dict):
            return {name: one.plain() for name, one in self.value.items()}
        return self.value

    def fault(self, said: str) -> NoReturn:
        """Say what is wrong with it.

        Raises:
            InvalidInputError: Always.
        """
        raise InvalidInputError(f"{self.place}: {said}")


def read_marked(path: Path) -> Marked:
    """Read a YAML file.

    Raises:
        InvalidInputError: It cannot be read, is no YAML, or holds what is read otherwise than it
            looks.
    """
    import yaml

    try:
        text = path.read_text("utf-8-sig")
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        if node is None:
            raise InvalidInputError(f"{path}: is empty")
        return _Reader(path.name).read(node)
    except OSError as error:
        raise InvalidInputError(f"{path}: cannot be read ({error.strerror})") from error
    except (UnicodeError, RecursionError) as error:
        raise InvalidInputError(f"{path}: is no YAML in UTF-8 ({type(error).__name__})") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InvalidInputError(f"{path.name}:{line}: is no YAML: {error.problem}") from error
    except yaml.YAMLError as error:
        raise InvalidInputError(f"{path.name}: is no YAML: {printable(str(error))}") from error


class _Reader:
    """Makes values from the nodes of one file."""

    def __init__(self, name: str) -> None:
        self._name = printable(name)
        self._seen: set[int] = set()

    def read(self, node: Any) -> Marked:
        place = f"{self._name}:{node.start_mark.line + 1}"
        if id(node) in self._seen:
            raise InvalidInputError(f"{place}: aliases (*name) are not read; `base` says the same")
        self._seen.add(id(node))
        kind = node.tag.removeprefix(_TAG)
        if kind == "map":
            return Marked(self._mapping(node), place)
        if kind == "seq":
            return Marked([self.read(one) for one in node.value], place)
        return Marked(_scalar(node, kind, place), place)

    def _mapping(self, node: Any) -> dict[str, Marked]:
        made: dict[str, Marked] = {}
        for key, value in node.value:
            place = f"{self._name}:{key.start_mark.line + 1}"
            if key.tag != f"{_TAG}str":
                raise InvalidInputError(
                    f"{place}: {_quoted(key.value)} is no name; put quotes around it (merge keys "
                    "<< are not read: `base` says the same)"
                )
            if key.value in made:
                raise InvalidInputError(f"{place}: {_quoted(key.value)} is given twice")
            made[key.value] = self.read(value)
        return made


def _scalar(node: Any, kind: str, place: str) -> str | int | float | bool | None:
    """One value; `style` is None where it has no quotes."""
    text: str = node.value
    if kind == "str":
        return _text(text, place) if node.style is None else text
    if kind == "null":
        return None
    if kind == "bool" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if kind == "int" and _WHOLE.fullmatch(text) and len(text) <= _DIGITS:
        return int(text)
    if kind == "float" and _DECIMAL.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    meant = {"bool": "yes or no (true, false)", "int": "another number", "timestamp": "a date"}
    raise InvalidInputError(
        f"{place}: YAML takes {_quoted(text)} for {meant.get(kind, f'a value of type {kind}')}; "
        f"put quotes around it if it is a text, else write it as true, false or a plain number"
    )


def _text(text: str, place: str) -> str | float:
    """A text without quotes: YAML 1.1 takes 1e-3 for one."""
    if _SMALL.fullmatch(text):
        return float(text)
    if _EITHER.fullmatch(text):
        raise InvalidInputError(
            f"{place}: {_quoted(text)} may be a number or a text; write {text.lower()} as "
            f"{text.lower().replace('e', 'e+')}, or put quotes around it"
        )
    return text


def _quoted(value: object) -> str:
    return repr(printable(str(value))[:_SHOWN])


def texts_in(value: Any, start: str = "") -> Iterator[tuple[str, Any]]:
    """Names and values of a mapping and of those in it, lists included."""
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield from texts_in(one, str(name))
    elif isinstance(value, list):
        for one in value:
            yield from texts_in(one, start)
    else:
        yield start, value

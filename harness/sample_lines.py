"""The lines of a samples file, and what all of them must share."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from sociolect.generators.errors import ResultsError

Sample = tuple[dict[str, Any], dict[str, Any]]
"""A line as lm-eval wrote it, and its document."""


class SampleLines:
    """Reads a samples file line by line, and hashes what it reads.

    Args:
        path: The file.
        wanted: What its lines are, for the message about one that is something else.
        field: A field that every document of such a line has; empty for none.

    Attributes:
        task: What all documents share.
        filter: lm-eval's name of the filter that the answers went through.
        digest: SHA-256 of what was read.
        offset: Bytes before the current line.
    """

    def __init__(self, path: Path, wanted: str, field: str = "") -> None:
        self.path = path
        self.digest = hashlib.sha256()
        self.task: dict[str, Any] = {}
        self.filter: str | None = None
        self._wanted, self._field = wanted, field
        self.offset = 0
        self._line = 0

    def fail(self, problem: str) -> NoReturn:
        """Raise a `ResultsError` that names the current line."""
        raise ResultsError(f"{self.path}, line {self._line}: {problem}")

    def samples(self) -> Iterator[Sample]:
        """Every line and its document.

        Raises:
            ResultsError: The file cannot be read, or a line is no sample.
        """
        try:
            with self.path.open("rb") as file:
                for self._line, line in enumerate(file, start=1):
                    self.digest.update(line)
                    if not line.isspace():
                        yield self._parsed(line)
                    self.offset += len(line)
        except OSError as error:
            raise ResultsError(f"{self.path}: cannot be read ({error})") from error

    def _parsed(self, line: bytes) -> Sample:
        try:
            sample = json.loads(line)
        except (ValueError, RecursionError) as error:
            self.fail(f"not JSON ({error}); the file is truncated or damaged")
        doc = sample.get("doc") if isinstance(sample, dict) else None
        if not isinstance(doc, dict) or (self._field and self._field not in doc):
            lacks = f"its doc has no {self._field}" if self._field else "it has no doc"
            self.fail(f"no sample of {self._wanted} ({lacks})")
        return sample, doc

    def check_types(self, doc: Mapping[str, Any], wrong: list[str]) -> None:
        """Refuse a document, if fields of it are wrong."""
        if wrong:
            found = ", ".join(f"{n} {doc[n]!r}" if n in doc else f"no {n}" for n in wrong)
            self.fail(f"doc {doc.get('id')!r} is not as sociolect writes it: {found}")

    def check_task(self, task: dict[str, Any], filter_name: str | None) -> None:
        """Refuse a line that is of another task, dataset or filter than those before it."""
        self.task = self.task or task
        if task != self.task:
            other = next(name for name in task if task[name] != self.task[name])
            self.fail(f"{other} is {task[other]!r}, but {self.task[other]!r} in the first line")
        self.filter = self.filter or filter_name
        if filter_name != self.filter:
            self.fail(f"answers under two filters, {self.filter!r} and {filter_name!r}")

    def responses(self, sample: Mapping[str, Any]) -> list[Any]:
        """What the model answered, as the filter left it."""
        found = sample.get("filtered_resps")
        if not isinstance(found, list) or not found:
            self.fail("no filtered_resps")
        return found


def why_partial(found: int, prompts: Mapping[str, int]) -> str:
    """Why a run is not the whole task, empty if it is.

    Args:
        found: Prompts in the samples file.
        prompts: Those of the task (`original`), and those to be asked (`effective`), as far as
            lm-eval recorded them.
    """
    effective, original = prompts.get("effective"), prompts.get("original")
    if effective is not None and found < effective:
        return f"interrupted: {found} of {effective} prompts in the samples file"
    if original is not None and found < original:
        return f"limited: {found} of {original} prompts asked"
    return ""

"""The lines of a samples file of the audit, each checked and read.

Answers are read by `sociolect.tasks.dialect.records` and nothing else, as when they were scored.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from sociolect.generators.dialect.pairs import VARIETIES
from sociolect.generators.errors import ResultsError, SociolectError
from sociolect.tasks.dialect.catalogue import KINDS
from sociolect.tasks.dialect.prompts import same_continuation
from sociolect.tasks.dialect.records import Record, record
from sociolect.tasks.dialect.scoring import log_likelihoods

_TASK_FIELDS: Mapping[str, type] = {
    "benchmark": str,
    "kind": str,
    "form": str,
    "prompted": bool,
    "wording": str,
    "data_version": str,
    "data_sha256": str,
    "local_data": bool,
    "task_format": int,
}
_PROMPT_FIELDS: Mapping[str, type] = {"id": str, "version": str, "context": str, "order": int}
_FIELDS = {**_TASK_FIELDS, **_PROMPT_FIELDS}
_ROUNDED = 1e-4
"""Up to here a log-likelihood above 0 is one of 0 in half precision."""


class Prompt(NamedTuple):
    """What tells the documents of a task apart."""

    id: str
    version: str
    context: str
    order: int


class PairFacts(NamedTuple):
    """What a report needs of a pair beside the answers.

    Attributes:
        aae: The AAE text.
        same: Whether both continuations are the same words; None without a boundary.
    """

    group: str
    split: str
    aae: str
    same: bool | None = None


def _prompt(doc: Mapping[str, Any]) -> Prompt:
    return Prompt(*(doc[name] for name in _PROMPT_FIELDS))


class Samples:
    """Iterates over a samples file, checking every line; hashes what it reads.

    Attributes:
        task: What all documents share.
        prompts: All that were read so far.
        pairs: Theirs, by id.

    Raises:
        ResultsError: While iterating; names the file and the line.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.digest = hashlib.sha256()
        self.task: dict[str, Any] = {}
        self._filter: object = None
        self._line = 0
        self.prompts: set[Prompt] = set()
        self.pairs: dict[str, PairFacts] = {}

    def __iter__(self) -> Iterator[Record]:
        try:
            with self.path.open("rb") as file:
                for self._line, line in enumerate(file, start=1):
                    self.digest.update(line)
                    if not line.isspace():
                        yield self._read(line)
        except OSError as error:
            raise ResultsError(f"{self.path}: cannot be read ({error})") from error

    def _fail(self, problem: str) -> NoReturn:
        raise ResultsError(f"{self.path}, line {self._line}: {problem}")

    def _read(self, line: bytes) -> Record:
        try:
            sample = json.loads(line)
        except (ValueError, RecursionError) as error:
            self._fail(f"not JSON ({error}); the file is truncated or damaged")
        doc = sample.get("doc") if isinstance(sample, dict) else None
        if not isinstance(doc, dict):
            self._fail("no sample of lm-eval (it has no doc)")
        self._check_fields(doc)
        self._check_pair(doc)
        self._check_task(doc, sample.get("filter"))
        responses = sample.get("filtered_resps")
        if not isinstance(responses, list) or not responses:
            self._fail("no filtered_resps")
        return self._record(doc, responses)

    def _check_fields(self, doc: Mapping[str, Any]) -> None:
        wrong = [name for name, kind in _FIELDS.items() if type(doc.get(name)) is not kind]
        if not wrong and doc["kind"] not in KINDS:
            wrong = ["kind"]
        if wrong:
            found = ", ".join(f"{n} {doc[n]!r}" if n in doc else f"no {n}" for n in wrong)
            self._fail(f"doc {doc.get('id')!r} is not as sociolect writes it: {found}")

    def _check_pair(self, doc: Mapping[str, Any]) -> None:
        """The share of raters is one, and boundaries are inside of the texts."""
        share = doc.get("naturalness")
        if share is not None and not (_is_number(share) and 0 <= share <= 1):
            self._fail(f"pair {doc['id']}: naturalness {share!r} is no share of raters (0 to 1)")
        if doc["kind"] != "sentiment" and not _has_boundaries(doc):
            ends = ", ".join(f"{v} {doc.get(f'{v}_boundary')!r}" for v in VARIETIES)
            self._fail(
                f"pair {doc['id']}: its boundaries ({ends}) are not inside of its texts; the file "
                "was edited"
            )

    def _check_task(self, doc: Mapping[str, Any], filter_name: object) -> None:
        """All lines are of one task and dataset, and none is there twice."""
        task = {name: doc[name] for name in _TASK_FIELDS}
        task["answer_mode"] = doc.get("answer_mode") or "lenient"
        if not self.task:
            self.task, self._filter = task, filter_name
        if task != self.task:
            other = next(name for name in task if task[name] != self.task[name])
            self._fail(f"{other} is {task[other]!r}, but {self.task[other]!r} in the first line")
        if filter_name != self._filter:
            self._fail(f"answers under two filters, {self._filter!r} and {filter_name!r}")
        prompt = _prompt(doc)
        if prompt in self.prompts:
            named = ", ".join(str(part) for part in prompt if part != "")
            self._fail(f"the prompt {named} occurs twice")
        self.prompts.add(prompt)
        group, split, aae = (str(doc.get(name) or "") for name in ("group", "split", "aae"))
        same = same_continuation(doc) if _has_boundaries(doc) else None
        facts = PairFacts(group, split, aae, same)
        if self.pairs.setdefault(prompt.id, facts) != facts:
            self._fail(f"pair {prompt.id} has another group, split or text than in an earlier line")

    def _record(self, doc: Mapping[str, Any], responses: Sequence[Any]) -> Record:
        try:
            found = record(doc, responses)
            numbers = log_likelihoods(responses) if doc["form"] == "ll" else []
        except (SociolectError, TypeError, ValueError, IndexError, KeyError) as error:
            self._fail(f"doc or filtered_resps cannot be read ({error})")
        if above := [number for number in numbers if number > _ROUNDED]:
            self._fail(f"pair {doc['id']}: a log-likelihood of {above[0]:g}, above 0")
        return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _has_boundaries(doc: Mapping[str, Any]) -> bool:
    """Whether both texts have a boundary with something before and after it."""
    for variety in VARIETIES:
        text, end = doc.get(variety), doc.get(f"{variety}_boundary")
        if not isinstance(text, str) or type(end) is not int or not 0 < end < len(text):
            return False
    return True

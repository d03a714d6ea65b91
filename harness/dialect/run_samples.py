"""The lines of a samples file of the audit, each checked and read.

Answers are read by `sociolect.tasks.dialect.records` and nothing else, as when they were scored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sociolect.generators.dialect.pairs import VARIETIES
from sociolect.generators.errors import SociolectError
from sociolect.harness.dialect.document_checks import odd_field, of_pair
from sociolect.harness.sample_lines import SampleLines
from sociolect.tasks.dialect.catalogue import KINDS
from sociolect.tasks.dialect.prompts import continuation, same_continuation
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
        row: Hash of everything that the documents of a pair share in all tasks.
        same: Whether both continuations are the same words; None without a boundary.
        chars: Characters of the AAE and of the SAE continuation with the white space that they
            begin with; None without a boundary.
    """

    group: str
    split: str
    aae: str
    row: str
    same: bool | None = None
    chars: tuple[int, int] | None = None


def _prompt(doc: Mapping[str, Any]) -> Prompt:
    return Prompt(*(doc[name] for name in _PROMPT_FIELDS))


class Samples(SampleLines):
    """Iterates over a samples file, checking every line.

    Args:
        path: The file.
        name: Of its task.

    Attributes:
        prompts: All that were read so far.
        pairs: Theirs, by id.

    Raises:
        ResultsError: While iterating; names the file and the line.
    """

    def __init__(self, path: Path, name: str) -> None:
        super().__init__(path, "lm-eval")
        self._name = name
        self.prompts: set[Prompt] = set()
        self.pairs: dict[str, PairFacts] = {}

    def __iter__(self) -> Iterator[Record]:
        for sample, doc in self.samples():
            yield self._read(sample, doc)

    def _read(self, sample: Mapping[str, Any], doc: Mapping[str, Any]) -> Record:
        self._check_fields(doc)
        self._check_pair(doc)
        task = {name: doc[name] for name in _TASK_FIELDS}
        task["answer_mode"] = doc.get("answer_mode") or "lenient"
        task["segmented_with"] = str(doc.get("segmented_with") or "")
        self.check_task(task, sample.get("filter"))
        if odd := odd_field(doc, self._name):
            self.fail(
                f"doc {doc['id']!r}: {odd} is {doc[odd]!r}, which {self._name} does not ask; the "
                "file was edited"
            )
        self._check_once(doc)
        return self._record(doc, self.responses(sample))

    def _check_fields(self, doc: Mapping[str, Any]) -> None:
        wrong = [name for name, kind in _FIELDS.items() if type(doc.get(name)) is not kind]
        if not wrong and doc["kind"] not in KINDS:
            wrong = ["kind"]
        self.check_types(doc, wrong)

    def _check_pair(self, doc: Mapping[str, Any]) -> None:
        """The share of raters is one, and boundaries are inside of the texts."""
        share = doc.get("naturalness")
        if share is not None and not (_is_number(share) and 0 <= share <= 1):
            self.fail(f"pair {doc['id']}: naturalness {share!r} is no share of raters (0 to 1)")
        if doc["kind"] != "sentiment" and not _has_boundaries(doc):
            ends = ", ".join(f"{v} {doc.get(f'{v}_boundary')!r}" for v in VARIETIES)
            self.fail(
                f"pair {doc['id']}: its boundaries ({ends}) are not inside of its texts; the file "
                "was edited"
            )

    def _check_once(self, doc: Mapping[str, Any]) -> None:
        """No prompt is there twice, and a pair is the same in all lines."""
        prompt = _prompt(doc)
        if prompt in self.prompts:
            named = ", ".join(str(part) for part in prompt if part != "")
            self.fail(f"the prompt {named} occurs twice")
        self.prompts.add(prompt)
        group, split, aae = (str(doc.get(name) or "") for name in ("group", "split", "aae"))
        facts = PairFacts(group, split, aae, of_pair(doc))
        if _has_boundaries(doc):
            facts = facts._replace(same=same_continuation(doc), chars=_chars(doc))
        if self.pairs.setdefault(prompt.id, facts) != facts:
            self.fail(
                f"pair {prompt.id} has another group, split, text or boundary, or another rating, "
                "than in an earlier line"
            )

    def _record(self, doc: Mapping[str, Any], responses: Sequence[Any]) -> Record:
        try:
            found = record(doc, responses)
            numbers = log_likelihoods(responses) if doc["form"] == "ll" else []
        except (SociolectError, TypeError, ValueError, IndexError, KeyError) as error:
            self.fail(f"doc or filtered_resps cannot be read ({error})")
        if above := [number for number in numbers if number > _ROUNDED]:
            self.fail(f"pair {doc['id']}: a log-likelihood of {above[0]:g}, above 0")
        return found


def _chars(doc: Mapping[str, Any]) -> tuple[int, int]:
    aae, sae = (len(continuation(doc, variety)) for variety in VARIETIES)
    return aae, sae


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _has_boundaries(doc: Mapping[str, Any]) -> bool:
    """Whether both texts have a boundary with something before and after it."""
    for variety in VARIETIES:
        text, end = doc.get(variety), doc.get(f"{variety}_boundary")
        if not isinstance(text, str) or type(end) is not int or not 0 < end < len(text):
            return False
    return True

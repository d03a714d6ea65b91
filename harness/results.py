"""Runs of lm-eval, read back: settings, and one answer record a prompt.

Answers are read from the logged responses by `sociolect.tasks.scoring.choices` and nothing else,
so that a comparison agrees with the scores that lm-eval printed, and so that one set of generations
can be read again in another answer mode.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from sociolect.generators.conditions import RULES, Condition
from sociolect.generators.errors import ResultsError, SociolectError
from sociolect.generators.noise.realised import CHANGES
from sociolect.harness.result_files import RunFiles, read_task
from sociolect.harness.run_settings import sampler, settings, shown_name
from sociolect.harness.sample_lines import SampleLines, why_partial
from sociolect.harness.scores import check_scores
from sociolect.tasks.functions import answer_record
from sociolect.tasks.metrics import AnswerRecord, Tally, UnitCounts, tally

_ITEM_FIELDS: dict[str, type] = {
    "id": str,
    "pair_id": str,
    "pair_valid": bool,
    "member": str,
    "gold": int,
    "target_option": int,
    "question": str,
    "options": list,
    "order": int,
}
USUAL_RULES = RULES[0]
"""What documents were made by that name no rule set."""

_TASK_FIELDS: dict[str, type] = {
    "benchmark": str,
    "axis": str,
    "form": str,
    "transform": str,
    "level": int,
    "part": str,
    "seed": int,
    "data_version": str,
    "data_sha256": str,
    "rules": str,
    "local_data": bool,
    "task_format": int,
}
_DATA_FIELDS = ("data_version", "data_sha256", "local_data", "rules")


@dataclass(frozen=True)
class Run:
    """One task of one run, with its answers.

    Attributes:
        files: Where it was read from.
        sha256: Of the files, `samples` and `results`.
        model: A name to show; `settings` holds what identifies the model.
        error_seed: Seed of the errors in the prompts.
        data: `data_version`, `data_sha256`, `local_data` and `rules` of its dataset config.
        settings: What two runs must share to be comparable, by the name that `compare` uses.
        sampler: Seeds of the sampler, and versions of the software; may differ.
        prompts: Numbers of prompts `original` (in the task) and `effective` (to be asked), as far
            as lm-eval recorded them.
        items: By item id, what must be the same in every condition.
        records: One a prompt, in file order.
        changes: By item id, how much surface noise changed its text (`CHANGES`); empty
            where the rows do not say.
    """

    files: RunFiles
    sha256: Mapping[str, str]
    model: str
    benchmark: str
    axis: str
    form: str
    condition: Condition
    error_seed: int
    data: Mapping[str, Any]
    settings: Mapping[str, Any]
    sampler: Mapping[str, Any]
    prompts: Mapping[str, int]
    items: Mapping[str, tuple[Any, ...]]
    records: tuple[AnswerRecord, ...]
    changes: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def task(self) -> str:
        """Task name of lm-eval."""
        return self.files.task

    @property
    def rules(self) -> str:
        """Rule set of the errors in the prompts."""
        return str(self.data["rules"])

    @property
    def traits(self) -> tuple[str, ...]:
        """Rule set and error seed, as far as they are not the usual ones."""
        rules = () if self.rules == USUAL_RULES else (self.rules,)
        return (*rules, f"error seed {self.error_seed}") if self.error_seed else rules

    @property
    def described(self) -> str:
        """The task name and the traits."""
        return f"{self.task} ({', '.join(self.traits)})" if self.traits else self.task

    @cached_property
    def tallies(self) -> tuple[Tally, ...]:
        """Counts of the answers, one a prompt."""
        return tuple(tally(record) for record in self.records)

    @cached_property
    def unit_counts(self) -> UnitCounts:
        """The same by unit, counted once for all metrics and all comparisons."""
        return UnitCounts(self.tallies)

    @cached_property
    def keys(self) -> frozenset[tuple[str, int]]:
        """The prompts: item id and option order."""
        return frozenset((record.id, record.order) for record in self.records)

    @cached_property
    def asked(self) -> int:
        """Number of answers asked for."""
        return sum(len(record.choices) for record in self.records)

    @cached_property
    def unanswered(self) -> int:
        """Number of answers that name no option."""
        return sum(record.choices.count(-1) for record in self.records)

    @property
    def partial(self) -> str:
        """Why this is not the whole task, empty if it is."""
        return why_partial(len(self.records), self.prompts)


def read_run(files: RunFiles, *, strict: bool = False) -> Run:
    """Read one run (`read_run_at` without the places of its lines)."""
    return read_run_at(files, strict=strict)[0]


def read_run_at(files: RunFiles, *, strict: bool = False) -> tuple[Run, list[int]]:
    """Read one run, and where the line of each record begins.

    Args:
        files: From `result_files.find_runs`.
        strict: Read every answer in strict mode, whatever mode the run was scored in.

    Returns:
        The run, and for each of its records the bytes of the samples file before its line.

    Raises:
        ResultsError: A damaged file, samples of another project's task, or prompts that are
            duplicated or do not belong together; names the file and the line. Answers that give
            other figures than the results file holds.
    """
    results = read_task(files)
    lines = _Samples(files.samples, strict=strict)
    records: list[AnswerRecord] = []
    items: dict[str, tuple[Any, ...]] = {}
    changes: dict[str, tuple[float, ...]] = {}
    offsets: list[int] = []
    for doc, record in lines:
        content = _content(doc)
        if items.setdefault(doc["id"], content) != content:
            lines.fail(f"{doc['id']} has another pair, gold or options than in an earlier line")
        records.append(record)
        offsets.append(lines.offset)
        if CHANGES[0] in doc:
            changes[doc["id"]] = lines.change(doc)
    if not records:
        raise ResultsError(f"{files.samples}: empty; the run logged no answer")
    task = lines.task
    run = Run(
        files=files,
        sha256={
            "samples": lines.digest.hexdigest(),
            "results": hashlib.sha256(files.results.read_bytes()).hexdigest(),
        },
        model=shown_name(results),
        benchmark=task["benchmark"],
        axis=task["axis"],
        form=task["form"],
        condition=Condition(task["transform"], task["level"], task["part"]),
        error_seed=task["seed"],
        data={key: task[key] for key in _DATA_FIELDS},
        settings=settings(results, files.task, task),
        sampler=sampler(results, files.task),
        prompts=_checked_counts(results, files, records),
        items=items,
        records=tuple(records),
        changes=changes,
    )
    if lines.as_scored and run.prompts.get("effective") in (None, len(records)):
        check_scores(run, results["results"].get(files.task), lines.filter)
    return run, offsets


def _content(doc: Mapping[str, Any]) -> tuple[Any, ...]:
    """What identifies an item beyond its id, and never changes with the condition."""
    named = ("pair_id", "pair_valid", "member", "gold", "target_option", "question")
    return (*(doc[key] for key in named), tuple(doc["options"]))


class _Samples(SampleLines):
    """Iterates over a samples file, checking every line.

    Attributes:
        as_scored: Whether the answers are read in the mode in which the run was scored.
    """

    def __init__(self, path: Path, *, strict: bool) -> None:
        super().__init__(path, "a sociolect task", "pair_id")
        self.strict = strict
        self.as_scored = True
        self._seen: set[tuple[str, int]] = set()

    def change(self, doc: Mapping[str, Any]) -> tuple[float, ...]:
        """How much noise changed the text of a document."""
        found: tuple[Any, ...] = tuple(doc.get(name) for name in CHANGES)
        if not all(type(value) in (int, float) and 0 <= value < math.inf for value in found):
            self.fail(f"{doc['id']} has {', '.join(CHANGES)} {found}, not three numbers")
        return tuple(map(float, found))

    def __iter__(self) -> Iterator[tuple[dict[str, Any], AnswerRecord]]:
        for sample, doc in self.samples():
            yield doc, self._read(sample, doc)

    def _read(self, sample: Mapping[str, Any], doc: dict[str, Any]) -> AnswerRecord:
        doc.setdefault("rules", USUAL_RULES)
        self._check_fields(doc)
        task = {name: doc[name] for name in _TASK_FIELDS}
        task["answer_mode"] = "strict" if self.strict else doc.get("answer_mode") or "lenient"
        self.check_task(task, sample.get("filter"))
        self._check_unique(doc)
        if self.strict:
            self.as_scored &= doc.get("answer_mode") == "strict"
            doc["answer_mode"] = "strict"
        return self._record(doc, self.responses(sample))

    def _check_fields(self, doc: Mapping[str, Any]) -> None:
        fields = (*_ITEM_FIELDS.items(), *_TASK_FIELDS.items())
        wrong = [name for name, kind in fields if type(doc.get(name)) is not kind]
        if not wrong and not (doc["order"] in (0, 1) and -1 <= doc["gold"] < len(doc["options"])):
            wrong = ["order", "gold"]
        if not wrong and not all(isinstance(option, str) for option in doc["options"]):
            wrong = ["options"]
        self.check_types(doc, wrong)

    def _check_unique(self, doc: Mapping[str, Any]) -> None:
        key = (doc["id"], doc["order"])
        if key in self._seen:
            self.fail(f"{doc['id']} with option order {doc['order']} occurs twice")
        self._seen.add(key)

    def _record(self, doc: Mapping[str, Any], responses: list[Any]) -> AnswerRecord:
        try:
            return answer_record(doc, responses)
        except (SociolectError, TypeError, ValueError, IndexError, RecursionError) as error:
            self.fail(f"filtered_resps cannot be read ({error})")


def _checked_counts(
    results: Mapping[str, Any], files: RunFiles, records: list[AnswerRecord]
) -> dict[str, int]:
    """Prompts that the run was to ask.

    Raises:
        ResultsError: More prompts than that, or another number of answers than was sampled.
    """
    counts: dict[str, int] = (results.get("n-samples") or {}).get(files.task) or {}
    repeats = (results["configs"].get(files.task) or {}).get("repeats")
    odd = [r for r in records if repeats is not None and len(r.choices) != repeats]
    if odd:
        raise ResultsError(
            f"{files.samples}: {odd[0].id} has {len(odd[0].choices)} answers, but {repeats} were "
            "sampled; a filter that drops answers cannot be compared"
        )
    effective = counts.get("effective")
    if effective is not None and len(records) > effective:
        raise ResultsError(
            f"{files.samples}: {len(records)} prompts, but {files.results.name} speaks of "
            f"{effective}; the files do not belong together"
        )
    return counts

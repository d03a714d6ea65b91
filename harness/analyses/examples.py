"""Pairs on which a model falls back on the stereotype (learner-error paper, Table 3).

A pair qualifies under one errored run if the majority of the generations

1. answers the clean anti-stereotypical sentence rightly,
2. answers the pro-stereotypical sentence with errors rightly,
3. answers the anti-stereotypical sentence with the same errors wrongly.

A majority is over half of all generations of both option orders, unanswered ones included.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sociolect.generators.errors import ResultsError, UnknownNameError
from sociolect.generators.rows import edits_of
from sociolect.generators.text import Edit
from sociolect.harness.answers import Asked, Votes, read_asked, votes
from sociolect.harness.comparability import require_comparable
from sociolect.harness.labels import condition_labels, model_labels
from sociolect.harness.paired import Method
from sociolect.harness.results import Run
from sociolect.harness.sections import Section
from sociolect.tasks import scoring
from sociolect.tasks.kinds import kind_of
from sociolect.tasks.metrics import AnswerRecord


@dataclass(frozen=True, slots=True)
class Answered:
    """One version of a sentence, and what the model answered.

    Attributes:
        text: The clean sentence.
        edits: Errors in it, with offsets in `text`.
        answer: The option that the majority names.
        count: Generations that name it, of `asked`.
        generation: One of these generations, whole; empty in the `ll` form.
    """

    text: str
    edits: tuple[Edit, ...]
    answer: str
    right: bool
    count: int
    asked: int
    generation: str


@dataclass(frozen=True, slots=True)
class Example:
    """A pair that qualifies.

    Attributes:
        condition: Label of the errored run.
        margin: The smallest lead of a majority over the next option among the three versions.
    """

    model: str
    benchmark: str
    form: str
    condition: str
    pair_id: str
    question: str
    options: tuple[str, ...]
    margin: int
    clean_anti: Answered
    errored_pro: Answered
    errored_anti: Answered


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which examples to look for.

    Attributes:
        model: Label of the only model to look at; empty for all.
        conditions: Names of dataset configs; empty for all.
        min_margin: Smallest lead of each majority, in generations.
        limit: Examples of each model.
    """

    model: str = ""
    conditions: tuple[str, ...] = ()
    min_margin: int = 1
    limit: int = 5


@dataclass(frozen=True, slots=True)
class _Hit:
    margin: int
    pro: AnswerRecord
    anti: AnswerRecord
    clean: Run
    run: Run
    names: tuple[str, str]


def find_examples(
    sections: Sequence[Section], wanted: Wanted, method: Method
) -> tuple[list[Example], list[str]]:
    """The clearest examples of each model, and how many there are in all.

    Args:
        sections: Runs by model, benchmark and form.
        wanted: What to look for.
        method: Of it, the differences that are allowed, and whether pairs that are not valid
            counterfactuals count.

    Raises:
        NotComparableError: Runs of one model that differ in more than the errors.
        ResultsError: No benchmark with pairs, or a samples file that changed.
        UnknownNameError: No such model.
    """
    paired = [s for s in sections if kind_of(s.clean.benchmark) == "coreference"]
    if not paired:
        raise ResultsError("no benchmark with pro and anti sentences among the runs")
    labels = model_labels([section.clean for section in paired])
    if wanted.model and wanted.model not in labels:
        raise UnknownNameError("model", wanted.model, dict.fromkeys(labels))
    hits: dict[str, list[_Hit]] = defaultdict(list)
    for label, section in zip(labels, paired, strict=True):
        if wanted.model in ("", label):
            hits[label] += _hits(label, section, wanted, method)
    chosen: list[_Hit] = []
    notes = []
    for label, own in hits.items():
        own.sort(key=lambda hit: -hit.margin)
        chosen += own[: wanted.limit]
        notes.append(f"{label}: {len(own)} found, {len(own[: wanted.limit])} shown")
    texts = _read(chosen)
    return [_example(hit, texts) for hit in chosen], notes


def _hits(label: str, section: Section, wanted: Wanted, method: Method) -> Iterable[_Hit]:
    require_comparable(section.clean, section.others, method.allow)
    names = condition_labels(section.others, [label] * len(section.others))
    before = votes(section.clean.records)
    pairs = _pairs(section.clean, include_invalid=method.include_invalid)
    for run, name in zip(section.others, names, strict=True):
        if wanted.conditions and run.condition.config_name not in wanted.conditions:
            continue
        after = votes(run.records)
        for pro, anti in pairs:
            three = (before.get(anti.id), after.get(pro.id), after.get(anti.id))
            margin = _margin(three, (anti.gold, pro.gold, anti.gold))
            if margin >= max(1, wanted.min_margin):
                yield _Hit(margin, pro, anti, section.clean, run, (label, name))


def _pairs(run: Run, *, include_invalid: bool) -> list[tuple[AnswerRecord, AnswerRecord]]:
    """A record of the pro and one of the anti member of every whole pair."""
    found: dict[str, dict[str, AnswerRecord]] = defaultdict(dict)
    for record in run.records:
        if record.pair_valid or include_invalid:
            found[record.pair_id][record.member] = record
    return [(pair["pro"], pair["anti"]) for pair in found.values() if len(pair) == 2]


def _margin(three: Sequence[Votes | None], golds: Sequence[int]) -> int:
    """The smallest lead of the three majorities; 0 if the pair does not qualify."""
    known = [found for found in three if found is not None and found.majority >= 0]
    if len(known) < len(three):
        return 0
    right = [found.majority == gold for found, gold in zip(known, golds, strict=True)]
    return min(found.margin for found in known) if right == [True, True, False] else 0


_Texts = Mapping[Path, Mapping[str, list[Asked]]]


def _read(hits: Iterable[_Hit]) -> _Texts:
    """The prompts and generations of the hits, each samples file read once."""
    runs: dict[Path, Run] = {}
    ids: dict[Path, set[str]] = defaultdict(set)
    for hit in hits:
        for run in (hit.clean, hit.run):
            runs[run.files.samples] = run
            ids[run.files.samples] |= {hit.pro.id, hit.anti.id}
    return {path: read_asked(run, ids[path]) for path, run in runs.items()}


def _example(hit: _Hit, texts: _Texts) -> Example:
    clean = texts[hit.clean.files.samples][hit.anti.id][0].doc
    return Example(
        model=hit.names[0],
        benchmark=hit.run.benchmark,
        form=hit.run.form,
        condition=hit.names[1],
        pair_id=hit.pro.pair_id,
        question=clean["question"],
        options=tuple(clean["options"]),
        margin=hit.margin,
        clean_anti=_answered(hit, hit.anti, hit.clean, texts),
        errored_pro=_answered(hit, hit.pro, hit.run, texts),
        errored_anti=_answered(hit, hit.anti, hit.run, texts),
    )


def _answered(hit: _Hit, record: AnswerRecord, run: Run, texts: _Texts) -> Answered:
    clean = texts[hit.clean.files.samples][record.id][0].doc
    asked = texts[run.files.samples][record.id]
    found = votes(one for one in run.records if one.id == record.id)[record.id]
    return Answered(
        text=clean["input"],
        edits=tuple(edits_of(asked[0].doc)) if not run.condition.is_clean else (),
        answer=clean["options"][found.majority],
        right=found.majority == record.gold,
        count=found.counts[found.majority],
        asked=found.asked,
        generation=_generation(asked, found.majority, run),
    )


def _generation(asked: Iterable[Asked], option: int, run: Run) -> str:
    """The first generation that names an option."""
    for one in asked:
        doc = {**one.doc, "answer_mode": run.settings["answer_mode"]}
        chosen = scoring.choices(doc, [list(one.generations)]) if one.generations else []
        for text, choice in zip(one.generations, chosen, strict=False):
            if choice == option:
                return text
    return ""

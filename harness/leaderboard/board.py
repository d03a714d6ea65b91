"""The leaderboard as data: everything that the page, the tables and the exports show.

Numbers are unrounded; biases and accuracies are per cent, differences points. What does not exist
is `None` and never 0. Texts are as they were found: whoever shows them escapes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sociolect.harness.compare import Method

SCHEMA = "sociolect.leaderboard"
SCHEMA_VERSION = 1
"""Of the JSON document; grows when a key changes its meaning or goes."""

Mitigation = Literal["", "adapter", "steering", "adapter + steering"]


@dataclass(frozen=True, slots=True)
class Model:
    """One line of the leaderboard: a model as it was run.

    Attributes:
        id: `m` and hex digits of a hash of what tells the model from others; other runs that join
            change nothing of it.
        label: Distinct among the models; grows only where two would be called the same.
        name: The model as it was asked for.
        mitigation: What was done to it, empty for a plain model.
        base: Id of the plain model under which it is shown; empty for none.
        backend: lm-eval's name of the backend.
        details: Everything else that makes it answer otherwise: arguments, precision, revision,
            adapter, steering; values as text, without secrets.
    """

    id: str
    label: str
    name: str
    mitigation: Mitigation
    base: str
    backend: str
    details: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Rank:
    """Where a value stands among the models that were asked the same, 1 being the best.

    The best bias is the smallest in absolute value, the best accuracy the largest.

    Attributes:
        place: Models with an equal value share a place (1, 2, 2, 4).
        low: Best place of the bootstrap interval, over shared resamples of the units.
        high: Worst place of it.
        of: Models that are ranked; at least 2.
        tied: Whether another model has the same value.
    """

    place: int
    low: int
    high: int
    of: int
    tied: bool


@dataclass(frozen=True, slots=True)
class Value:
    """One number of one run.

    Attributes:
        run: Id of the run.
        value: Mean of the units in the headline metric; `None` where nothing was answered.
        low: Lower end of the bootstrap interval over units; `None`, as `high`, where there is none.
        pooled: The metric over all answers, as lm-eval prints it.
        others: The other metrics of the benchmark over all answers, by name.
        n: Units with a value.
        unanswered: Generations without an answer, per cent; `None` for no generation.
        rank: `None` where fewer than two models were asked the same.
        partial: Why the run is not the whole task, empty if it is.
    """

    run: str
    value: float | None
    low: float | None
    high: float | None
    pooled: float | None
    others: Mapping[str, float | None]
    n: int
    unanswered: float | None
    rank: Rank | None
    partial: str


@dataclass(frozen=True, slots=True)
class Change:
    """One condition of one model: its value, and the paired change from the clean prompts.

    Attributes:
        condition: Id of the condition.
        value: On the errored prompts; of several error seeds, the mean (`run` is then empty).
        runs: Ids of the runs behind it: one, or one an error seed.
        row: The numbers of the comparison, as `sociolect compare --format csv` names them
            (`exports.flat`): `delta`, `ci_low`, `ci_high`, `p`, `p_holm`, `significant`,
            `significant_holm`, `n`, `warning`, `detectable`, …; empty where it was not compared.
        why_not: Why it was not compared, empty if it was.
    """

    condition: str
    value: Value
    runs: tuple[str, ...]
    row: Mapping[str, Any]
    why_not: str


@dataclass(frozen=True, slots=True)
class Section:
    """One model on one benchmark, asked in one way on one version of the data.

    Attributes:
        id: `s` and hex digits of a hash of model, subject, way of asking and data; other runs
            that join change nothing of it.
        model: Id of the model.
        subject: Id of the subject.
        group: Sections of one subject with an equal group were asked the same prompts in the same
            way, and are ranked among each other.
        asked: How, in words, as far as the sections of the subject differ: limit, examples,
            decoding, chat template, rule set, data.
        data_version: Of the dataset.
        older: Whether a newer data version of the same subject is in the store.
        local_data: Whether the data are not the published ones.
        clean: `None` without a clean run.
        changes: In the order of the conditions of the subject.
        worst: Index in `changes` of the largest |value| that is answered (accuracy: the smallest
            value); -1 without any, and where every value is the clean one.
        notes: What a reader must know, in sentences.
    """

    id: str
    model: str
    subject: str
    group: str
    asked: str
    data_version: str
    older: bool
    local_data: bool
    clean: Value | None
    changes: tuple[Change, ...]
    worst: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Versus:
    """What a mitigation does, held against its base on the same prompts.

    Attributes:
        section: Id of the section of the mitigated model.
        base: Id of the section of its base.
        condition: Id of a condition, `clean` included.
        row: As in `Change`; `delta` is mitigated − base.
        why_not: Why it was not compared, empty if it was.
    """

    section: str
    base: str
    condition: str
    row: Mapping[str, Any]
    why_not: str


@dataclass(frozen=True, slots=True)
class ConditionOf:
    """A condition of a subject.

    Attributes:
        id: Name of the dataset config, with rule set unless it is the usual one.
        label: To show.
        error_seed: Error seed, where it is not 0 and alone; `mean of N error seeds` has -1.
    """

    id: str
    label: str
    transform: str
    level: int
    part: str
    error_seed: int


@dataclass(frozen=True, slots=True)
class Subject:
    """A benchmark, its axis, and the form in which it is asked.

    Attributes:
        id: `<benchmark>[-<axis>]-<form>`, safe in a file name and in a URL.
        label: To show.
        kind: What it measures (`sociolect.tasks.kinds`).
        metric: The headline, `bias` or `acc`.
        unit: `pair` or `item`.
        conditions: Without `clean`, by transform, part, level and error seed.
        clustered: Whether the units are written from question templates, which the intervals of
            values and ranks resample whole.
    """

    id: str
    label: str
    benchmark: str
    axis: str
    form: str
    kind: str
    metric: str
    unit: str
    conditions: tuple[ConditionOf, ...]
    clustered: bool = False


@dataclass(frozen=True, slots=True)
class RunOf:
    """What a number is traced back to.

    Attributes:
        path: Samples file, relative to the folder of results.
        results: Results file, relative to it.
        settings: What two runs must share to be comparable.
        command: The command that made it, in one line that a shell reads; made up from what
            lm-eval recorded if `rebuilt`.
        unanswered: Answers that name no option; `None` where they were not read.
        replaced: Runs of the same cell that are not shown, and how their pooled values differ, in
            sentences.
    """

    id: str
    task: str
    task_version: str
    path: str
    results: str
    samples_sha256: str
    results_sha256: str
    time: str
    data_version: str
    data_sha256: str
    rules: str
    local_data: bool
    error_seed: int
    prompts: int
    prompts_expected: int | None
    asked: int
    unanswered: int | None
    too_long: int
    settings: Mapping[str, Any]
    sampler: Mapping[str, Any]
    command: str
    rebuilt: bool
    replaced: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """A table that another analysis made of runs of the store: flips of judges, dialect.

    Attributes:
        id: `flips` or `dialect`, and a number.
        columns: Names.
        rows: Cells as text; the first is a name.
        bold: Positions (row, column) of significant numbers.
        notes: Below the table.
        runs: Ids of the runs behind it.
    """

    id: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    bold: tuple[tuple[int, int], ...]
    notes: tuple[str, ...]
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """Everything.

    Attributes:
        title: Of the page.
        method: Tests, intervals and their seeds.
        rank_resamples: Of the rank intervals.
        runs: By id.
        problems: Files that were left out, with the reason.
        notes: What was chosen, found twice or not compared, in sentences.
    """

    title: str
    method: Method
    rank_resamples: int
    models: tuple[Model, ...]
    subjects: tuple[Subject, ...]
    sections: tuple[Section, ...]
    versus: tuple[Versus, ...]
    panels: tuple[Panel, ...]
    runs: Mapping[str, RunOf]
    problems: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]

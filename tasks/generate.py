"""Writes the task files: `python -m sociolect.tasks.generate`.

One folder a benchmark: a template per form, whose name does not end in `.yaml` so that the
harness does not take it for a task, and one short file a task that includes it. The harness
parses the template again for every task that includes it, so templates stay short and never
include one another.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from sociolect.tasks.cells import Cell, benchmarks, cells, data_version
from sociolect.tasks.dialect import generate as dialect
from sociolect.tasks.kinds import METRICS_OF, kind_of
from sociolect.tasks.paths import tasks_path
from sociolect.tasks.prompts import BOX_OPEN, asks_for_verdict, forms_of, scores_contexts

TASK_VERSION = 1
"""Shown in the harness's Version column; raised when scores of one model may change."""

HEADER = "# Written by sociolect.tasks.generate; edits are lost.\n"
SAMPLES = 5
"""Generations a prompt of every benchmark (learner-error paper, App. D.1)."""

_SAMPLING = "do_sample: true, temperature: 0.7, top_p: 0.9"
_SAMPLED = f"""\
output_type: generate_until
doc_to_text: !function sociolect.tasks.functions.doc_to_text
doc_to_target: !function sociolect.tasks.functions.doc_to_target
repeats: {SAMPLES}
filter_list: [{{name: all, filter: [{{function: take_first_k, k: {SAMPLES}}}]}}]
"""

_BY_FORM: Mapping[str, str] = {
    "reason": _SAMPLED + f"generation_kwargs: {{until: [], {_SAMPLING}, max_gen_toks: 2000}}\n",
    "direct": _SAMPLED
    + f"gen_prefix: '{BOX_OPEN}'\n"
    + f'generation_kwargs: {{until: ["}}"], {_SAMPLING}, max_gen_toks: 16}}\n',
    "ll": """\
output_type: multiple_choice
doc_to_text: !function sociolect.tasks.functions.doc_to_text
doc_to_target: gold
doc_to_choice: !function sociolect.tasks.functions.doc_to_choice
filter_list: [{name: all, filter: [{function: take_first}]}]
target_delimiter: ""
""",
}
_PARTIAL = """\
output_type: multiple_choice
doc_to_text: !function sociolect.tasks.functions.partial_to_text
doc_to_target: !function sociolect.tasks.functions.partial_to_target
doc_to_choice: !function sociolect.tasks.functions.partial_to_choice
filter_list: [{name: all, filter: [{function: take_first}]}]
target_delimiter: ""
"""
"""The cloze of a benchmark whose options stand in the context."""

VERDICT_TOKENS = 32
"""Enough for a label in a short sentence. A model that thinks first needs more."""
_VERDICT = f"""\
output_type: generate_until
doc_to_text: !function sociolect.tasks.functions.doc_to_text
doc_to_target: !function sociolect.tasks.functions.doc_to_target
filter_list: [{{name: all, filter: [{{function: take_first}}]}}]
generation_kwargs: {{until: [], do_sample: false, temperature: 0.0, max_gen_toks: {VERDICT_TOKENS}}}
"""
"""The verdict of a judge: one greedy answer. No line break ends it, as many begin with one."""


def template(benchmark: str, form: str) -> str:
    """Text of the template of a form.

    `until: []` because the harness would stop at the first blank line otherwise, in the middle
    of the reasoning. `fewshot_config` has no examples because the harness would take them from
    the test items. `take_first_k` because its default filter keeps one sample of five.
    """
    wanted = METRICS_OF[kind_of(benchmark)]
    lines = [
        "custom_dataset: !function sociolect.tasks.functions.load",
        "test_split: test",
        "fewshot_config: {samples: []}",
        _asking(benchmark, form).rstrip(),
        "process_results: !function sociolect.tasks.functions.process_results",
        "metric_list:",
        *(_metric(metric, end, benchmark) for metric in wanted for end in ("", "_stderr")),
        f"metadata: {{version: {TASK_VERSION}, data_version: {data_version(benchmark)}}}",
    ]
    return HEADER + "\n".join(lines) + "\n"


def _asking(benchmark: str, form: str) -> str:
    """The lines of a template that say what the model is asked, and how."""
    if form == "ll" and scores_contexts(benchmark):
        return _PARTIAL
    if form == "reason" and asks_for_verdict(benchmark):
        return _VERDICT
    return _BY_FORM[form]


def _metric(metric: str, end: str, benchmark: str) -> str:
    better = str(metric.startswith("acc") and not end).lower()
    name = metric + end
    choice = metric == "bias" and kind_of(benchmark) != "coreference"
    function = f"choice_{name}" if choice else name
    return (
        f"  - {{metric: {name}, aggregation: !function sociolect.tasks.functions.{function}, "
        f"higher_is_better: {better}}}"
    )


def leaf(cell: Cell) -> str:
    """Text of one task file."""
    return HEADER + (
        f"include: _{cell.form}_yaml\n"
        f"task: {cell.task}\n"
        f"tag: [{', '.join(cell.tags)}]\n"
        f"dataset_kwargs: {{sociolect_benchmark: {cell.benchmark}, "
        f"sociolect_condition: {cell.condition.config_name}, sociolect_form: {cell.form}}}\n"
    )


def files(benchmark: str) -> dict[str, str]:
    """All task files of a benchmark, name to text."""
    templates = {f"_{form}_yaml": template(benchmark, form) for form in forms_of(benchmark)}
    return templates | {f"{cell.task}.yaml": leaf(cell) for cell in cells(benchmark)}


def write(folder: Path) -> list[Path]:
    """Write the task files of every benchmark and of the dialect audit below `folder`.

    Those that no longer exist are removed.

    Returns:
        The files written.
    """
    written = []
    folders = {benchmark: files(benchmark) for benchmark in benchmarks()}
    for name, wanted in {**folders, dialect.FOLDER: dialect.files()}.items():
        home = folder / name
        home.mkdir(parents=True, exist_ok=True)
        for old in home.glob("*yaml"):
            if old.name not in wanted:
                old.unlink()
        for file, text in wanted.items():
            (home / file).write_text(text, "utf-8")
            written.append(home / file)
    return written


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else tasks_path()
    print(f"wrote {len(write(target))} files below {target}")

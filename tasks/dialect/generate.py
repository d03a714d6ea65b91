"""The task files of the dialect audit, which `python -m sociolect.tasks.generate` writes."""

from __future__ import annotations

from sociolect.generators.dialect.pairs import BENCHMARK
from sociolect.tasks.dialect.catalogue import HIGHER_IS_BETTER, METRICS, TASKS, DialectTask
from sociolect.tasks.dialect.prompts import delimiter

TASK_VERSION = 1
"""Shown in the harness's Version column; raised when scores of one model may change."""

HEADER = "# Written by sociolect.tasks.generate; edits are lost.\n"
FOLDER = BENCHMARK

ANSWER_TOKENS = 32
"""Enough for a label in a short sentence. A model that thinks first needs more."""

_HERE = "sociolect.tasks.dialect.functions"
_WRITTEN = f"""\
output_type: generate_until
doc_to_text: !function {_HERE}.doc_to_text
doc_to_target: !function {_HERE}.no_target
filter_list: [{{name: all, filter: [{{function: take_first}}]}}]
generation_kwargs: {{until: [], do_sample: false, temperature: 0.0, max_gen_toks: {ANSWER_TOKENS}}}
"""
"""One greedy answer. No line break ends it, as many begin with one."""
_SCORED = f"""\
output_type: multiple_choice
doc_to_text: !function {_HERE}.doc_to_text
doc_to_target: !function {_HERE}.doc_to_target
doc_to_choice: !function {_HERE}.doc_to_choice
filter_list: [{{name: all, filter: [{{function: take_first}}]}}]
target_delimiter: "@delimiter"
"""
"""A letter or a label stands after the space, of which lm-eval leaves none after a chat template:
what a model begins its turn with is `A`, not ` A`. A continuation has its own white space."""


def template(task: DialectTask) -> str:
    """Text of the template that tasks of one kind and form include.

    `fewshot_config` has no examples because the harness would take them from the test items.
    """
    lines = [
        f"custom_dataset: !function {_HERE}.load",
        "test_split: test",
        "fewshot_config: {samples: []}",
        (_scored(task) if task.form == "ll" else _WRITTEN).rstrip(),
        f"process_results: !function {_HERE}.process_results",
        "metric_list:",
        *(_metric(task, metric, end) for metric in METRICS[task.kind] for end in ("", "_stderr")),
        f"metadata: {{version: {TASK_VERSION}}}",
    ]
    return HEADER + "\n".join(lines) + "\n"


def _scored(task: DialectTask) -> str:
    return _SCORED.replace("@delimiter", delimiter(task.kind))


def _metric(task: DialectTask, metric: str, end: str) -> str:
    better = HIGHER_IS_BETTER.get(metric)
    told = "null" if better is None else str(better and not end).lower()
    function = f"{task.kind}_{metric}" if metric == "unanswered" else metric
    return (
        f"  - {{metric: {metric}{end}, aggregation: !function {_HERE}.{function}{end}, "
        f"higher_is_better: {told}}}"
    )


def leaf(task: DialectTask) -> str:
    """Text of one task file."""
    return HEADER + (
        f"include: _{task.template}_yaml\n"
        f"task: {task.task}\n"
        f"tag: [{', '.join(task.tags)}]\n"
        f"dataset_kwargs: {{sociolect_benchmark: {BENCHMARK}, sociolect_task: {task.task}, "
        f"sociolect_form: {task.form}}}\n"
    )


def files() -> dict[str, str]:
    """All task files of the audit, name to text."""
    templates = {f"_{task.template}_yaml": template(task) for task in TASKS}
    return templates | {f"{task.task}.yaml": leaf(task) for task in TASKS}

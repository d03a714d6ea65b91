"""What the task YAML files name: thin adapters between lm-evaluation-harness and our functions.

The harness calls `load(**metadata, **dataset_kwargs)`, where its metadata holds the metadata of
the task file, *all* model arguments and what `--metadata` gives. The task's own arguments are
therefore prefixed, and everything else is ignored but for three names:

* `data_version`: from the task file, the version of the data that it asks for;
* `error_seed`: another seed of the errors, `--metadata '{"error_seed": 1}'`;
* `answer_mode`: `strict` counts the bare letter only, `--metadata '{"answer_mode": "strict"}'`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sociolect.generators.errors import InvalidInputError
from sociolect.tasks import metrics, prompts, scoring
from sociolect.tasks.kinds import METRICS_OF, Kind, kind_of
from sociolect.tasks.metrics import AnswerRecord, Tally

if TYPE_CHECKING:
    from datasets import DatasetDict

Doc = Mapping[str, Any]


def load(
    *,
    sociolect_benchmark: str,
    sociolect_condition: str,
    sociolect_form: str,
    data_version: str = "",
    error_seed: int | str = 0,
    answer_mode: str = "lenient",
    **_: object,
) -> DatasetDict:
    """The documents of one task, split `test`.

    Raises:
        InvalidInputError: `error_seed` is not a whole number from 0 to 2⁶³ − 1.
        UnknownNameError: An unknown benchmark, condition, form or answer mode.
        DataError: The data are damaged, incomplete, or of another version or seed.
    """
    from sociolect.tasks.data import documents

    return documents(
        sociolect_benchmark,
        sociolect_condition,
        sociolect_form,
        version=data_version,
        seed=_whole_number(error_seed),
        answer_mode=answer_mode,
    )


def _whole_number(seed: int | str) -> int:
    try:
        number = int(seed)
        whole = isinstance(seed, str) or seed == number  # False for 1.5
        if isinstance(seed, bool) or not whole or not 0 <= number < 2**63:
            raise ValueError
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInputError(
            f"error_seed must be a whole number, 0 or more and below 2**63, not {seed!r}"
        ) from error
    return number


def doc_to_text(doc: Doc) -> str:
    """The prompt, without the opening of the box, which the task file gives as `gen_prefix`.

    As a prefix it stands at the start of the model's own turn when a chat template is used.
    """
    prompt = prompts.render(doc, doc["form"], doc["order"])
    return prompt.removesuffix(f" {prompts.BOX_OPEN}")


def partial_to_text(doc: Doc) -> int:
    """Where the options stand in the context: the right one, which only examples would use.

    A whole number tells the harness that `partial_to_choice` gives contexts ("multiple inputs").
    """
    return max(0, int(doc["gold"]))


def partial_to_choice(doc: Doc) -> list[str]:
    """The contexts of a cloze that puts its options into them, in row order."""
    return list(prompts.cloze(doc).contexts)


def partial_to_target(doc: Doc) -> str:
    """What continues each of these contexts."""
    return prompts.cloze(doc).continuations[0]


def doc_to_target(doc: Doc) -> str:
    """The letter (a judge's label) of the right option as displayed, empty if there is none."""
    if prompts.asks_for_verdict(doc["benchmark"]):
        return prompts.VERDICTS[doc["gold"]] if doc["gold"] >= 0 else ""
    count = len(doc["options"])
    shown = prompts.row_index(doc["gold"], count, doc["order"])
    return prompts.letters(count)[shown] if shown >= 0 else ""


def doc_to_choice(doc: Doc) -> list[str]:
    """The continuations of the `ll` form, in row order."""
    return list(prompts.cloze(doc).continuations)


def answer_record(doc: Doc, responses: Sequence[Any]) -> AnswerRecord:
    """The answers to one document, read from what the harness returns or logs."""
    return AnswerRecord(
        id=doc["id"],
        pair_id=doc["pair_id"],
        member=doc["member"],
        order=doc["order"],
        pair_valid=doc["pair_valid"],
        gold=doc["gold"],
        target_option=doc["target_option"],
        choices=tuple(scoring.choices(doc, responses)),
    )


def process_results(doc: Doc, results: Sequence[Any]) -> dict[str, Tally]:
    """The counts of one document under the name of every metric and of its standard error.

    The harness overwrites `<metric>_stderr` with what we aggregate under that name, provided
    that it comes after the metric; so its ± column shows our paired bootstrap.
    """
    counts = metrics.tally(answer_record(doc, results))
    wanted = METRICS_OF[kind_of(doc["benchmark"])]
    names = [name for metric in wanted for name in (metric, f"{metric}_stderr")]
    return dict.fromkeys(names, counts)


Aggregation = Callable[[Sequence[Tally]], float]


def _aggregations(metric: str, kind: Kind = "coreference") -> tuple[Aggregation, Aggregation]:
    """The pooled value and its standard error, as the harness calls them."""

    def value(items: Sequence[Tally]) -> float:
        return metrics.point(metric, items, kind)

    def error(items: Sequence[Tally]) -> float:
        return metrics.standard_error(metric, items, kind)

    return value, error


bias, bias_stderr = _aggregations("bias")
acc_pro, acc_pro_stderr = _aggregations("acc_pro")
acc_anti, acc_anti_stderr = _aggregations("acc_anti")
acc_pro_asked, acc_pro_asked_stderr = _aggregations("acc_pro_asked")
acc_anti_asked, acc_anti_asked_stderr = _aggregations("acc_anti_asked")
unanswered, unanswered_stderr = _aggregations("unanswered")
choice_bias, choice_bias_stderr = _aggregations("bias", "stereotype")
acc, acc_stderr = _aggregations("acc", "accuracy")
acc_asked, acc_asked_stderr = _aggregations("acc_asked", "accuracy")
directional, directional_stderr = _aggregations("directional", "judge")

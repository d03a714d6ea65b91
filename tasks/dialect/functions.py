"""What the task files of the dialect audit name: thin adapters between the harness and us.

The harness calls `load(**metadata, **dataset_kwargs)`, where its metadata holds *all* model
arguments and what `--metadata` gives. The task's own arguments are therefore prefixed, and
everything else is ignored but for two names:

* `split`: which pairs, `--metadata '{"split": "selection"}'` (or `"all"`);
* `answer_mode`: `strict` counts the bare label only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sociolect.generators.dialect.pairs import VARIETIES
from sociolect.tasks.dialect import metrics, prompts
from sociolect.tasks.dialect.catalogue import METRICS, Kind, dialect_task
from sociolect.tasks.dialect.records import Record, record

if TYPE_CHECKING:
    from datasets import DatasetDict

Doc = Mapping[str, Any]


def load(
    *, sociolect_task: str, split: str = "", answer_mode: str = "lenient", **_: object
) -> DatasetDict:
    """The documents of one task, split `test`.

    Raises:
        UnknownNameError: An unknown task, split or answer mode.
        DataError: No pairs, damaged ones, or none to ask.
    """
    from sociolect.tasks.dialect.documents import documents

    return documents(dialect_task(sociolect_task), split=str(split), answer_mode=answer_mode)


def doc_to_text(doc: Doc) -> str:
    """The prompt."""
    return prompts.prompt(doc)


def doc_to_choice(doc: Doc) -> list[str]:
    """The continuations that are scored, without the delimiter of the task file."""
    return prompts.options(doc)


def doc_to_target(doc: Doc) -> int:
    """Which option matches the context; -1 for a sentiment, of which none is right."""
    if doc["kind"] == "sentiment":
        return -1
    options = prompts.shown(doc) if doc["kind"] == "choice" else VARIETIES
    return options.index(doc["context"])


def no_target(doc: Doc) -> str:
    """The right answer to a question that has none."""
    return ""


def process_results(doc: Doc, results: Sequence[Any]) -> dict[str, Record]:
    """What is kept of the answer, under the name of every metric and of its standard error.

    The harness overwrites `<metric>_stderr` with what we aggregate under that name, provided
    that it comes after the metric; so its ± column shows our bootstrap over pairs.
    """
    kept = record(doc, results)
    names = [name for metric in METRICS[doc["kind"]] for name in (metric, f"{metric}_stderr")]
    return dict.fromkeys(names, kept)


Aggregation = Callable[[Sequence[Record]], float]


def _aggregations(kind: Kind, metric: str) -> tuple[Aggregation, Aggregation]:
    """The value over all pairs and its standard error, as the harness calls them."""

    def value(items: Sequence[Record]) -> float:
        return metrics.point(kind, metric, items)

    def error(items: Sequence[Record]) -> float:
        return metrics.standard_error(kind, metric, items)

    return value, error


dgi, dgi_stderr = _aggregations("sentiment", "dgi")
two_way_dgi, two_way_dgi_stderr = _aggregations("sentiment", "two_way_dgi")
cdgi, cdgi_stderr = _aggregations("sentiment", "cdgi")
cdgi_any, cdgi_any_stderr = _aggregations("sentiment", "cdgi_any")
negative_aae, negative_aae_stderr = _aggregations("sentiment", "negative_aae")
neutral_aae, neutral_aae_stderr = _aggregations("sentiment", "neutral_aae")
positive_aae, positive_aae_stderr = _aggregations("sentiment", "positive_aae")
negative_sae, negative_sae_stderr = _aggregations("sentiment", "negative_sae")
neutral_sae, neutral_sae_stderr = _aggregations("sentiment", "neutral_sae")
positive_sae, positive_sae_stderr = _aggregations("sentiment", "positive_sae")
sentiment_unanswered, sentiment_unanswered_stderr = _aggregations("sentiment", "unanswered")

lp, lp_stderr = _aggregations("continuation", "lp")
lp_differing, lp_differing_stderr = _aggregations("continuation", "lp_differing")
interaction, interaction_stderr = _aggregations("continuation", "interaction")
b_aae, b_aae_stderr = _aggregations("continuation", "b_aae")
b_sae, b_sae_stderr = _aggregations("continuation", "b_sae")
prefers_sae_in_aae, prefers_sae_in_aae_stderr = _aggregations("continuation", "prefers_sae_in_aae")
prefers_sae_in_sae, prefers_sae_in_sae_stderr = _aggregations("continuation", "prefers_sae_in_sae")
lp_byte, lp_byte_stderr = _aggregations("continuation", "lp_byte")
interaction_byte, interaction_byte_stderr = _aggregations("continuation", "interaction_byte")
continuation_unanswered, continuation_unanswered_stderr = _aggregations(
    "continuation", "unanswered"
)

aae_match, aae_match_stderr = _aggregations("choice", "aae_match")
sae_match, sae_match_stderr = _aggregations("choice", "sae_match")
first_option, first_option_stderr = _aggregations("choice", "first_option")
choice_unanswered, choice_unanswered_stderr = _aggregations("choice", "unanswered")

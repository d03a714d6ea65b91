"""What a benchmark measures, and with which metrics.

* `coreference`: counterfactual pairs with a right answer; bias = Acc_pro − Acc_anti.
* `stereotype`: no answer is right; bias = (n_pro − n_anti) / (n_pro + n_anti).
* `preference`: no answer is right; bias = (n_disadv − n_adv) / (n_disadv + n_adv).
* `disambiguated`: the context states the right answer; accuracy, and the bias of all answers.
* `accuracy`: a right answer and no stereotype.
* `judge`: a verdict on a response; accuracy is agreement with the label that the response was
  written with, and `directional` the share of verdicts that name a person.

Learner-error paper, §3.1 (the first three) and App. C.2 (the next two); noise paper, §3 (the last).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from sociolect.generators.errors import UnknownNameError

Kind = Literal["coreference", "stereotype", "preference", "disambiguated", "accuracy", "judge"]
KINDS: tuple[Kind, ...] = get_args(Kind)

KIND_OF: Mapping[str, Kind] = {
    "winobias": "coreference",
    "occupations_mini": "coreference",
    "bbq_gender": "stereotype",
    "bbq_race": "stereotype",
    "bbq_religion": "stereotype",
    "bbq_gender_disambig": "disambiguated",
    "bbq_race_disambig": "disambiguated",
    "bbq_religion_disambig": "disambiguated",
    "degen_gender": "preference",
    "degen_race": "preference",
    "degen_religion": "preference",
    "mmlu": "accuracy",
    "winogrande": "accuracy",
    "fable": "judge",
    "fable_control": "judge",
    "fable_protected": "judge",
    "fable_labels": "judge",
    "fable_swapped": "judge",
    "fable_recognition": "judge",
}
"""The kind of every benchmark that has tasks."""

METRICS_OF: Mapping[Kind, tuple[str, ...]] = {
    "coreference": (
        "bias",
        "acc_pro",
        "acc_anti",
        "acc_pro_asked",
        "acc_anti_asked",
        "unanswered",
    ),
    "stereotype": ("bias", "unanswered"),
    "preference": ("bias", "unanswered"),
    "disambiguated": ("acc", "acc_asked", "bias", "unanswered"),
    "accuracy": ("acc", "acc_asked", "unanswered"),
    "judge": ("acc", "acc_asked", "directional", "unanswered"),
}
"""What a run of each kind prints, the headline first."""


def kind_of(benchmark: str) -> Kind:
    """The kind of a benchmark.

    Raises:
        UnknownNameError: It has no tasks.
    """
    if benchmark not in KIND_OF:
        raise UnknownNameError("benchmark", benchmark, KIND_OF)
    return KIND_OF[benchmark]


def check_metric(metric: str, kind: Kind) -> None:
    """Refuse a metric that a kind does not have.

    Raises:
        UnknownNameError: It has no such metric.
    """
    if metric not in METRICS_OF[kind]:
        raise UnknownNameError(f"metric of a {kind} benchmark", metric, METRICS_OF[kind])

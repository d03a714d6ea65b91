"""Which tasks of the dialect audit there are, and what each prints.

The names are `aae_sentiment`, `aae_sentiment_ll`, `aae_continuation` and `aae_choice_best`,
`aae_choice_likely`, `aae_choice_stylistic`; each also with `_prompted` at the end, where the prompt
first asks to treat the two varieties as equivalent (dialect paper, §4.1, App. C.1 and C.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from sociolect.generators.dialect.pairs import BENCHMARK, VARIETIES
from sociolect.generators.errors import UnknownNameError

Kind = Literal["sentiment", "continuation", "choice"]
KINDS: tuple[Kind, ...] = get_args(Kind)

Form = Literal["reason", "ll"]
"""`reason`: the model writes its answer. `ll`: continuations are scored."""

Wording = Literal["best", "likely", "stylistic"]
WORDINGS: tuple[Wording, ...] = get_args(Wording)

LABELS: tuple[str, ...] = ("negative", "neutral", "positive")
"""Sentiments; a label's number is its place."""

LABEL_SHARES: Mapping[str, tuple[str, str]] = {
    f"{label}_{variety}": (label, variety) for variety in VARIETIES for label in LABELS
}
"""Metrics that say how often a label was given, to label and variety of the text."""

METRICS: Mapping[Kind, tuple[str, ...]] = {
    "sentiment": ("dgi", "two_way_dgi", "cdgi", "cdgi_any", "unanswered", *LABEL_SHARES),
    "continuation": (
        "lp",
        "lp_differing",
        "interaction",
        "b_aae",
        "b_sae",
        "prefers_sae_in_aae",
        "prefers_sae_in_sae",
        "unanswered",
        "lp_byte",
        "interaction_byte",
    ),
    "choice": ("aae_match", "sae_match", "first_option", "unanswered"),
}
"""What a task of each kind prints, the headline first."""

HIGHER_IS_BETTER: Mapping[str, bool] = {
    **dict.fromkeys(("dgi", "two_way_dgi", "cdgi", "cdgi_any"), True),
    **dict.fromkeys(("interaction", "interaction_byte", "b_aae", "b_sae"), True),
    **dict.fromkeys(("aae_match", "sae_match", "prefers_sae_in_sae"), True),
    **dict.fromkeys(("prefers_sae_in_aae", "unanswered"), False),
}
"""Metrics with a better end. LP and the share of first options have none, as theirs is in the
middle, nor has a share of labels."""


@dataclass(frozen=True, slots=True)
class DialectTask:
    """One task."""

    kind: Kind
    form: Form = "ll"
    wording: Wording | Literal[""] = ""
    prompted: bool = False

    @property
    def task(self) -> str:
        """Task name, e.g. `aae_choice_best_prompted`."""
        form = "ll" if self.kind == "sentiment" and self.form == "ll" else ""
        parts = (BENCHMARK, self.kind, self.wording, form, "prompted" if self.prompted else "")
        return "_".join(part for part in parts if part)

    @property
    def template(self) -> str:
        """The start of its task file's template name: what tasks of this kind and form share."""
        return f"{self.kind}_ll" if self.kind == "sentiment" and self.form == "ll" else self.kind

    @property
    def tags(self) -> tuple[str, ...]:
        """`aae` or `aae_prompted`, and the same of the three wordings."""
        end = "_prompted" if self.prompted else ""
        choice = (f"{BENCHMARK}_choice{end}",) if self.kind == "choice" else ()
        return (f"{BENCHMARK}{end}", *choice)


_PLAIN: tuple[DialectTask, ...] = (
    DialectTask("sentiment", "reason"),
    DialectTask("sentiment"),
    DialectTask("continuation"),
    *(DialectTask("choice", wording=wording) for wording in WORDINGS),
)
TASKS: tuple[DialectTask, ...] = (
    *_PLAIN,
    *(DialectTask(one.kind, one.form, one.wording, prompted=True) for one in _PLAIN),
)
"""All tasks, those without the instruction first."""

_BY_NAME: Mapping[str, DialectTask] = {one.task: one for one in TASKS}


def dialect_task(name: str) -> DialectTask:
    """The task of this name.

    Raises:
        UnknownNameError: There is none.
    """
    if name not in _BY_NAME:
        raise UnknownNameError("task", name, _BY_NAME)
    return _BY_NAME[name]


def is_dialect(name: str) -> bool:
    """Whether a task of this audit has this name."""
    return name in _BY_NAME


def continues_text(name: str) -> bool:
    """Whether a task scores how a sentence goes on, with no turn of a conversation between."""
    return is_dialect(name) and dialect_task(name).kind == "continuation"


def tag_members() -> dict[str, tuple[str, ...]]:
    """The tasks behind every tag, in order."""
    members: dict[str, list[str]] = {}
    for one in TASKS:
        for tag in one.tags:
            members.setdefault(tag, []).append(one.task)
    return {tag: tuple(tasks) for tag, tasks in members.items()}

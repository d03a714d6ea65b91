"""Answers that say nothing of dialect: one label for every text, one letter for every question."""

from __future__ import annotations

import numpy as np

from sociolect.generators.dialect.pairs import VARIETIES
from sociolect.harness.dialect.audits import Answers, Key
from sociolect.tasks.dialect.choice_measures import Choices
from sociolect.tasks.dialect.label_measures import SentimentLabels

_AFFECTED: frozenset[str] = frozenset(
    ("dgi", "two_way_dgi", "cdgi", "cdgi_any", "aae_match", "sae_match", "first_option")
)
"""Measures that such answers decide by themselves."""


def uninformative(answers: Answers) -> frozenset[Key]:
    """Measures of the tasks in which a system gave one answer to everything that it answered.

    Agreement is 1 then, and each match a half, whatever the texts say.
    """
    tasks = [task for task, labels in answers.labels.items() if _one_label(labels)]
    tasks += [task for task, choices in answers.choices.items() if _one_letter(choices)]
    return frozenset(Key(task, measure) for task in tasks for measure in _AFFECTED)


def _one_label(labels: SentimentLabels) -> bool:
    given = np.concatenate([labels.aae, labels.sae, labels.back])
    return len(np.unique(given[given >= 0])) == 1


def _one_letter(choices: Choices) -> bool:
    """Whether the first option was chosen always or never."""
    given = sum(float(choices.answers(context).sum()) for context in VARIETIES)
    return given > 0 and float(choices.first.sum()) in (0.0, given)

"""The cost of an edit: by hand with known likelihoods, and against the model's own loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from sociolect.generators.conditions import Condition
from sociolect.generators.errors import InvalidInputError
from sociolect.generators.m2 import M2Edit, M2File, Sentence
from sociolect.generators.text import CASE
from sociolect.harness.edit_cost import Unit, cost, dataset_units, learner_units
from sociolect.harness.likelihood import Likelihood


class Known:
    """A model of known scores."""

    def __init__(self, **scores: float | None) -> None:
        self.scores = scores

    def score(self, texts: Sequence[str], progress: Callable[[int], object]) -> list[float | None]:
        progress(len(set(texts)))
        return [self.scores[text] for text in texts]


def known(**scores: float | None) -> Likelihood:
    return cast(Likelihood, Known(**scores))


def test_a_cost_worked_by_hand() -> None:
    units = [
        Unit(("a", "b"), ("x", "b"), 2),  # (-10 - 5) - (-16 - 5) = 6, over 2 edits
        Unit(("c",), ("y",), 1),  # -3 - -4 = 1
        Unit(("c",), ("c",), 0),
        Unit(("a",), ("long",), 1),
    ]
    found = cost(units, known(a=-10, b=-5, x=-16, c=-3, y=-4, long=None))
    assert found.mean == pytest.approx((3 + 1) / 2)
    assert (found.units, found.too_long, found.without_errors) == (2, 1, 1)
    assert found.low == pytest.approx(1)
    assert found.high == pytest.approx(3)


def test_a_single_unit_has_no_interval() -> None:
    found = cost([Unit(("a",), ("b",), 1)], known(a=-1.0, b=-3.0))
    assert (found.mean, found.low, found.high) == (2, None, None)


@pytest.mark.parametrize("units", [[], [Unit(("a",), ("a",), 0)], [Unit(("a",), ("l",), 1)]])
def test_nothing_to_score(units: list[Unit]) -> None:
    with pytest.raises(InvalidInputError, match="nothing to score"):
        cost(units, known(a=-1.0, l=None))


def _edit(part: str, start: int, end: int, original: str, replacement: str) -> dict[str, Any]:
    return {
        **{"part": part, "start": start, "end": end, "original": original},
        **{"replacement": replacement, "type": "det", "operation": "deletion", "subtype": ""},
    }


def test_units_of_a_dataset() -> None:
    repair = {**_edit("input", 4, 5, "m", "M"), "type": CASE, "operation": "repair"}
    row = {
        "instruction": "Read it.",
        "input": "Man ran.",
        "edits": [_edit("input", 0, 4, "The ", ""), repair],
    }
    (unit,) = dataset_units([row], Condition("l2", 20))
    assert unit == Unit(("The man ran.",), ("Man ran.",), 1)
    (unit,) = dataset_units([row], Condition("l2", 20, "both"))
    assert unit == Unit(("Read it.", "The man ran."), ("Read it.", "Man ran."), 1)


FILE = M2File(
    "x.m2",
    (
        Sentence(
            ("He", "do", "n't", "likes", "dog", "."),
            (
                M2Edit(1, 2, "R:VERB:SVA", "does", 2),
                M2Edit(3, 4, "R:VERB:FORM", "like", 3),
                M2Edit(4, 5, "R:NOUN:NUM", "dogs", 4),
            ),
            1,
        ),
        Sentence(("Fine", "."), (M2Edit(0, 0, "M:ADV", "Just", 7),), 6),
        Sentence(("In", "house", "."), (M2Edit(1, 1, "M:DET", "the", 9),), 8),
    ),
    0,
)


def test_units_of_learners_keep_the_other_errors_corrected() -> None:
    verbs, determiner = learner_units(FILE, Condition("l2", 20))
    assert verbs == Unit(("He doesn't like dogs.",), ("He don't likes dogs.",), 2)
    assert determiner == Unit(("In the house.",), ("In house.",), 1)
    assert list(learner_units(FILE, Condition("l2det", 20))) == [determiner]
    assert list(learner_units(FILE, Condition("l2spell", 20))) == []


def test_a_sample_of_learners_is_the_same_each_time() -> None:
    first = list(learner_units(FILE, Condition("l2", 20), 1))
    assert len(first) == 1
    assert first == list(learner_units(FILE, Condition("l2", 20), 1))


@pytest.mark.slow
def test_likelihoods_are_those_of_the_model(small_model: Path) -> None:
    """Against transformers' own loss, one text at a time, padding and batches aside."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = small_model
    scorer = Likelihood(str(folder), "cpu")
    texts = [
        "The cat sat.",
        "The cat sit.",
        "A much longer text, of many words.",
        "",
        "The cat sat.",
    ]
    texts += [f"Text number {i} of some." for i in range(20)]
    found = scorer.score(texts)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    for text, score in zip(texts[:3], found[:3], strict=True):
        ids = torch.tensor([[tokenizer.bos_token_id, *tokenizer(text)["input_ids"]]])
        with torch.inference_mode():
            loss = model(input_ids=ids, labels=ids).loss
        assert score == pytest.approx(-float(loss) * (ids.shape[1] - 1), abs=1e-3)
    assert found[3] == 0
    assert found[4] == found[0]
    assert found[0] is not None
    assert found[1] is not None
    assert found[0] > found[1]
    assert scorer.score(["word " * 9000]) == [None]


def test_a_model_that_is_not_there(tmp_path: Any) -> None:
    pytest.importorskip("transformers")
    with pytest.raises(InvalidInputError, match="cannot be loaded"):
        Likelihood(str(tmp_path))

"""Prompts with and without errors, and the tokens of their errors, by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("lm_eval")

from tiny_models import tiny_llama

from sociolect.generators.conditions import Condition
from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.generators.text import Edit, apply
from sociolect.steering.fitting.prompts import error_material
from sociolect.tasks import data
from sociolect.tasks.functions import doc_to_choice, doc_to_text, partial_to_choice

L2 = Condition("l2", 30)
CLEAN = "The cups was put on the table since the _ was full."


@pytest.fixture(scope="module")
def lm(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from sociolect.steering.backends.registry import create_model

    folder = tiny_llama(tmp_path_factory.mktemp("model"))
    return create_model("sociolect-hf", {"pretrained": str(folder)}, {"device": "cpu"})


def edit(text: str, original: str, replacement: str, **said: str) -> Edit:
    start = text.index(original)
    return Edit(start, start + len(original), original, replacement, **{"type": "det", **said})


def row(number: int, text: str, edits: Sequence[Edit] = (), **columns: Any) -> dict[str, Any]:
    fields = ("start", "end", "original", "replacement", "type", "operation", "subtype")
    return {
        "id": f"winogrande/q{number}-1",
        "benchmark": "winogrande",
        "instruction": "Choose.",
        "input": apply(text, edits),
        "question": "Which?",
        "options": ["shelf", "desk"],
        "gold": 1,
        "edits": [{"part": "input", **{n: getattr(one, n) for n in fields}} for one in edits],
        "form": "ll",
        "order": 0,
        "data_version": "1.0.0",
        "rules": "paper",
        "local_data": True,
        **columns,
    }


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes rows what the tasks read; of each item the clean text and its edits."""

    def put(
        items: Sequence[tuple[str, Sequence[Edit]]], twins: bool = False, **columns: Any
    ) -> None:
        from datasets import Dataset, DatasetDict

        def documents(benchmark: str, config: str, form: str, *, seed: int = 0) -> Any:
            clean = config == "clean"
            rows = [
                row(n, text, () if clean else edits, **columns, data_sha256=f"{config} {seed}")
                for n, (text, edits) in enumerate(items)
            ]
            for n, one in enumerate(rows if twins else ()):
                one["id"] = f"winogrande/q{n // 2}-{n % 2 + 1}"
            return DatasetDict({"test": Dataset.from_list(rows)})

        monkeypatch.setattr(data, "documents", documents)

    return put


def decoded(lm: Any, tokens: Sequence[int]) -> str:
    text: str = lm.tokenizer.decode(tokens)
    return text


def wrong(text: str = CLEAN) -> list[Edit]:
    return [
        edit(text, "cups", "cup", type="verb"),
        edit(text, "on ", "", type="prep", operation="deletion"),
        edit(text, "full", "fule", type="spell"),
    ]


def test_known_answer(lm: Any, asked: Callable[..., None]) -> None:
    asked([(CLEAN, wrong())] * 40)
    found = error_material(lm, L2, seed=3)
    assert len(found.contrasts) + len(found.items) == 40
    assert 2 <= len(found.items) <= 12
    contrast, item = found.contrasts[0], found.items[0]
    assert decoded(lm, contrast.toward) == "<s>The cups was put on the table since the desk"
    assert decoded(lm, contrast.away) == "<s>The cup was put the table since the desk"
    assert decoded(lm, item.context) == "<s>The cup was put the table since the"
    assert decoded(lm, item.matched) == " desk was fule."
    assert decoded(lm, item.other) == " shelf was fule."
    # `<s>`, then a token a character: "cup", and the word behind the missing "on".
    assert item.positions == (5, 6, 7, 17, 18, 19)
    assert found.left == {"directions": {}, "tracing": {}}
    assert found.kind == "errors"
    count = len(found.items)
    assert found.facts["error_types"] == {"prep": count, "verb": count}
    assert found.facts["data_sha256"] == {"clean": "clean 3", "errors": "l2-30 3"}
    assert (found.facts["benchmark"], found.facts["condition"]) == ("winogrande", "l2-30")


def test_prompts_are_those_of_the_tasks(lm: Any, asked: Callable[..., None]) -> None:
    asked([(CLEAN, wrong())] * 40)
    texts = [row(0, CLEAN), row(0, CLEAN, wrong())]
    contrast = error_material(lm, L2).contrasts[0]
    assert [contrast.toward, contrast.away] == [
        tuple(lm._encode_pair(partial_to_choice(one)[one["gold"]], " was full.")[0])
        for one in texts
    ]

    columns = {"benchmark": "mmlu", "options": ["3", "4", "5", "6"]}
    text = "How many cups is on the table?"
    edits = [edit(text, "is", "are", type="verb")]
    asked([(text, edits)] * 40, **columns)
    found = error_material(lm, L2, benchmark="mmlu")
    clean, errors = (row(0, text, e, **columns) for e in ((), edits))
    contrast, item = found.contrasts[0], found.items[0]
    assert decoded(lm, contrast.toward) == "<s>" + doc_to_text(clean)
    assert decoded(lm, contrast.away) == "<s>" + doc_to_text(errors)
    assert item.context == contrast.away
    assert decoded(lm, item.matched) == doc_to_choice(errors)[1] == " B"
    assert decoded(lm, item.other) in {" A", " C", " D"}
    assert decoded(lm, [item.context[k] for k in item.positions]) == "are"
    others = {decoded(lm, one.other) for one in found.items}
    assert len(others) > 1


@pytest.mark.parametrize(
    ("text", "edits", "reason", "is_compared"),
    [
        (CLEAN, [], "no error in the text", False),
        (CLEAN, [edit(CLEAN, "The", "the", type="case")], "no error in the text", True),
        (CLEAN, [edit(CLEAN, "full", "fule")], "no error in the context", False),
        ("_ is full.", [edit("_ is full.", "is", "are")], "nothing before the blank", False),
        ("x" * 300 + CLEAN, wrong("x" * 300 + CLEAN), "too long for the model", False),
    ],
)
def test_reasons(
    lm: Any,
    asked: Callable[..., None],
    text: str,
    edits: list[Edit],
    reason: str,
    is_compared: bool,
) -> None:
    asked([(text, edits)] * 30)
    found = error_material(lm, L2)
    assert not found.items
    assert found.left["tracing"].keys() == {reason}
    compared = len(found.contrasts)
    assert compared + sum(n for part in found.left.values() for n in part.values()) == 30
    assert bool(compared) == is_compared


def test_directions_and_tracing_share_no_item_nor_its_twin(
    lm: Any, asked: Callable[..., None]
) -> None:
    asked([(CLEAN, wrong())] * 200, twins=True)
    found = error_material(lm, L2)
    stems = [{one.id.removesuffix("-1").removesuffix("-2") for one in part}
             for part in (found.contrasts, found.items)]  # fmt: skip
    assert not stems[0] & stems[1]
    assert len(stems[0] | stems[1]) == 100
    assert len(found.contrasts) + len(found.items) == 200
    assert 0.07 < len(found.items) / 200 < 0.23
    other = error_material(lm, L2, seed=1)
    assert {one.id for one in other.items} != {one.id for one in found.items}


def test_limits(lm: Any, asked: Callable[..., None]) -> None:
    asked([(CLEAN, wrong())] * 60)
    whole, part = error_material(lm, L2), error_material(lm, L2, limit=5, trace_limit=2)
    assert part.contrasts == whole.contrasts[:5]
    assert part.items == whole.items[:2]
    assert part.left == {
        "directions": {"beyond the limit": len(whole.contrasts) - 5},
        "tracing": {"beyond the limit": len(whole.items) - 2},
    }


@pytest.mark.parametrize("name", ["winobias", "bbq_gender", "degen_race", "occupations_mini"])
def test_benchmarks_of_bias_are_refused(lm: Any, name: str) -> None:
    with pytest.raises(InvalidInputError, match=f"{name} measures what a mitigation is evaluated"):
        error_material(lm, L2, benchmark=name)


def test_conditions_without_errors_in_the_input_are_refused(lm: Any) -> None:
    with pytest.raises(UnknownNameError, match="winogrande"):
        error_material(lm, L2, benchmark="winograd")
    with pytest.raises(InvalidInputError, match="clean has no errors"):
        error_material(lm, Condition())
    with pytest.raises(InvalidInputError, match="l2-30-instruction has errors in the instruction"):
        error_material(lm, Condition("l2", 30, "instruction"))

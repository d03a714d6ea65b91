"""Contexts and traced items of pairs, against what the task hands to the scorer and by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("lm_eval")

from tiny_models import byte_tokenizer, tiny_llama

from sociolect.generators.dialect.folder import write_folder
from sociolect.generators.dialect.manifest import assemble
from sociolect.generators.dialect.pairs import (
    Boundaries,
    DialectPair,
    Segmented,
)
from sociolect.generators.dialect.withheld import withhold
from sociolect.generators.errors import (
    DataError,
    InvalidInputError,
    ModelError,
)
from sociolect.steering.fitting.material import Material, Scorer
from sociolect.steering.fitting.pairs import dialect_material

HELD = 80
"""Tokens that the model holds; each character is one, and `<s>` comes first."""


@pytest.fixture(scope="module")
def lm(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from sociolect.steering.backends.registry import create_model

    folder = tiny_llama(tmp_path_factory.mktemp("model"), max_position_embeddings=HELD)
    return create_model("sociolect-hf", {"pretrained": str(folder)}, {"device": "cpu"})


def pair(id_: str, split: Any, aae: str, sae: str, reason: str = "") -> Segmented:
    """A pair whose boundaries are marked with `|`."""
    made = DialectPair(id_, aae.replace("|", ""), sae.replace("|", ""), split=split)
    bounds = None if reason else Boundaries(aae.index("|"), sae.index("|"))
    return Segmented(made, bounds, reason)


AAE, SAE = "We finna leave| but it ain't rain", "We are about to leave| but it did not rain"
PAIRS = (
    pair("d0", "direction", AAE, SAE),
    pair("d1", "direction", "He be working| on it", "He is usually working| on that"),
    pair("t0", "tracing", AAE, SAE),
    pair("e0", "evaluation", AAE, SAE),
    pair("s0", "selection", AAE, SAE),
)


@pytest.fixture
def folder_of(tmp_path: Path) -> Callable[..., Path]:
    def make(pairs: Iterable[Segmented], name: str = "pairs") -> Path:
        write_folder(assemble(pairs, name="made up"), tmp_path / name)
        return tmp_path / name

    return make


def items_left(lm: Any, folder: Path) -> tuple[Material, dict[str, int]]:
    found = dialect_material(lm, folder)
    return found, dict(found.left["tracing"])


def tokens(text: str) -> tuple[int, ...]:
    """Of the tokenizer of bytes, for texts in ASCII: independent of lm_eval."""
    known = dict(byte_tokenizer().get_vocab().items())
    return tuple(
        known["\N{LATIN CAPITAL LETTER G WITH DOT ABOVE}" if c == " " else c] for c in text
    )


def test_known_answer(lm: Any, folder_of: Callable[..., Path]) -> None:
    found = dialect_material(lm, folder_of(PAIRS))
    by_id = {one.id: one for one in found.contrasts}
    assert set(by_id) == {"d0", "d1"}
    assert by_id["d0"].toward == (0, *tokens("We finna leave"))
    assert by_id["d0"].away == (0, *tokens("We are about to leave"))
    (item,) = found.items
    assert item.id == "t0"
    assert item.context == (0, *tokens("We finna leave"))
    assert item.positions == tuple(1 + len("We ") + k for k in range(len("finna")))
    assert item.matched == tokens(" but it ain't rain")
    assert item.other == tokens(" but it did not rain")
    assert found.kind == "dialect"
    assert found.left == {"directions": {}, "tracing": {}}
    assert found.facts["dataset"] == "made up"
    assert found.facts["splits"] == {"directions": "direction", "tracing": "tracing"}
    assert found.facts["features"] == {
        "auxiliary": 1, "aspectual": 0, "preverbal": 0, "syntactic": 0,
    }  # fmt: skip


def test_tokens_are_those_that_the_task_scores(
    lm: Any, folder_of: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from lm_eval.api.instance import Instance

    from sociolect.tasks.dialect import documents
    from sociolect.tasks.dialect.catalogue import dialect_task
    from sociolect.tasks.dialect.prompts import prompt, scored

    folder = folder_of(PAIRS)
    monkeypatch.setenv("SOCIOLECT_AAE", str(folder))
    asked: list[Any] = []

    def record(requests: Any, **options: Any) -> list[Any]:
        asked.extend(requests)
        return [(0.0, False)] * len(requests)

    monkeypatch.setattr(lm, "_loglikelihood_tokens", record)
    docs = documents.documents(dialect_task("aae_continuation"), split="all")["test"]
    lm.loglikelihood([
        Instance("loglikelihood", {}, (prompt(doc), text), 0, metadata=("aae", k, 1))
        for k, doc in enumerate(docs) for text in scored(doc)
    ])  # fmt: skip
    documents.clear_memo()
    read = {(tuple(before), tuple(own)) for _, before, own in asked}
    found = dialect_material(lm, folder)
    for item in found.items:
        assert {(item.context, item.matched), (item.context, item.other)} <= read
    contexts = {before for before, _ in read}
    assert {tuple(t) for one in found.contrasts for t in (one.toward, one.away)} <= contexts


@pytest.mark.parametrize(
    ("aae", "sae", "reason"),
    [
        ("We leave| but it did rain", "We left| but it rained", "no feature of the lexicon"),
        ("We leave| but it ain't rain", "We left| but it rained", "no feature in the context"),
        ("So he| be working", "So he| is working", "a feature cut by the boundary"),
        ("We finna leave| now", "We are leaving| now", "the same continuation in both"),
        ("We finna leave| and " + HELD * "x", "We left| and so", "too long for the model"),
        ("We finna leave| and so", "We left| and " + HELD * "x", "too long for the model"),
        ("<s> We finna leave| now", "We left| just now", "tokenised otherwise"),
    ],
)
def test_reasons_why_an_item_is_not_traced(
    lm: Any, folder_of: Callable[..., Path], aae: str, sae: str, reason: str
) -> None:
    found, left = items_left(lm, folder_of([*PAIRS, pair("t1", "tracing", aae, sae)]))
    assert [one.id for one in found.items] == ["t0"]
    assert left == {reason: 1}


def test_reasons_why_a_pair_gives_no_direction(lm: Any, folder_of: Callable[..., Path]) -> None:
    more = (
        pair("d2", "direction", "", "", "no boundary"),
        pair("d3", "direction", "It rains| and we finna go", "It rains| and we will go"),
        pair("d4", "direction", f"We finna {HELD * 'x'}| now", "We| left"),
        pair("t1", "tracing", "", "", "no boundary"),
    )
    more = tuple(
        replace(one, pair=replace(one.pair, aae="We finna go", sae="We will go"))
        if one.reason else one
        for one in more
    )  # fmt: skip
    found = dialect_material(lm, folder_of([*PAIRS, *more]))
    assert {one.id for one in found.contrasts} == {"d0", "d1"}
    assert found.left == {
        "directions": {
            "not segmented": 1,
            "the same tokens on both sides": 1,
            "too long for the model": 1,
        },
        "tracing": {"not segmented": 1},
    }


def test_what_the_model_holds_to_the_token(lm: Any, folder_of: Callable[..., Path]) -> None:
    """The last token of a continuation is scored, and not read."""
    room = HELD + 1 - len("<We finna go ")  # `<s>` is one token
    pairs = [
        pair(f"t{n}", "tracing", f"We finna go| {(room + n) * 'x'}", "We left| so") for n in (0, 1)
    ]
    found, left = items_left(lm, folder_of([PAIRS[0], *pairs]))
    assert [one.id for one in found.items] == ["t0"]
    assert left == {"too long for the model": 1}


def test_limits_take_the_same_ones_in_any_order(lm: Any, folder_of: Callable[..., Path]) -> None:
    many = [
        pair(f"{split[0]}{n}", split, AAE, f"We are {n} to leave| but it did not rain")
        for split in ("direction", "tracing")
        for n in range(12)
    ]
    one = dialect_material(lm, folder_of(many, "one"), limit=3, trace_limit=2)
    other = dialect_material(lm, folder_of(many[::-1], "other"), limit=3, trace_limit=2)
    assert (one.contrasts, one.items) == (other.contrasts, other.items)
    assert (len(one.contrasts), len(one.items)) == (3, 2)
    assert [each.id for each in one.contrasts] != ["d0", "d1", "d2"]
    assert one.left == {"directions": {"beyond the limit": 9}, "tracing": {"beyond the limit": 10}}
    more = dialect_material(lm, folder_of(many, "more"), limit=5)
    assert more.contrasts[:3] == one.contrasts


def test_pairs_that_nothing_may_be_fitted_on(lm: Any, folder_of: Callable[..., Path]) -> None:
    folder = folder_of(PAIRS)
    for name in ("evaluation", "selection"):
        with pytest.raises(InvalidInputError, match=f"split '{name}' is what steering is"):
            dialect_material(lm, folder, direction_split=name)
    with pytest.raises(InvalidInputError, match="name two splits"):
        dialect_material(lm, folder, tracing_split="direction")
    with pytest.raises(DataError, match=r"no pair of split 'other'.*direction 2, evaluation 1"):
        dialect_material(lm, folder, tracing_split="other")
    unsplit = [replace(one, pair=replace(one.pair, split="")) for one in PAIRS]
    with pytest.raises(DataError, match=r"in no split.*without --no-splits"):
        dialect_material(lm, folder_of(unsplit, "unsplit"))


def test_withheld_texts(lm: Any, tmp_path: Path) -> None:
    write_folder(withhold(assemble(PAIRS, name="made up")), tmp_path / "out")
    with pytest.raises(DataError, match=r"without the AAE texts.*sociolect dialect restore"):
        dialect_material(lm, tmp_path / "out")


def test_slow_tokenizers_are_refused() -> None:
    with pytest.raises(ModelError, match=r"slow tokenizer.*use_fast_tokenizer=True"):
        Scorer(SimpleNamespace(tokenizer=SimpleNamespace(is_fast=False)))


@pytest.mark.slow
def test_tokens_of_several_characters(folder_of: Callable[..., Path], small_model: Path) -> None:
    from sociolect.steering.backends.registry import create_model

    real = create_model("sociolect-hf", {"pretrained": str(small_model)}, {"device": "cpu"})
    (item,) = dialect_material(real, folder_of(PAIRS)).items
    decode = real.tokenizer.decode
    assert decode([item.context[k] for k in item.positions]) == " finna"
    assert decode([k for at, k in enumerate(item.context) if at not in item.positions]) == (
        "We leave"
    )
    assert decode(item.other) == " but it did not rain"

"""`--model sociolect-vllm`: samples, seeds, chunks and kept answers, with a real engine."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from running_vllm import Spy, evaluate

pytestmark = [pytest.mark.vllm, pytest.mark.slow, pytest.mark.usefixtures("data")]

REASONING = "occupations_mini_clean"
DIRECT = "occupations_mini_clean_direct"
CLOZE = "occupations_mini_clean_ll"
ERRED = "occupations_mini_l2prep_5_direct"
UNCHANGED = (12, 13, 14, 15)
"""Documents without an error at 5 %: their prompts are those of the clean task."""

Make = Callable[..., Any]


def answers_in(chunk: bytes) -> list[bytes]:
    """A chunk file without its first line, which says how long it took, and its check sum."""
    return chunk.splitlines()[1:-1]


@pytest.fixture(scope="module")
def first() -> dict[str, Any]:
    """Answers that several tests compare with, made by the first of them."""
    return {}


@pytest.fixture
def direct(backend: Make, first: dict[str, Any]) -> Any:
    if DIRECT not in first:
        first[DIRECT] = evaluate(backend(), [DIRECT])[DIRECT]
    return first[DIRECT]


def test_the_samples_of_a_prompt_are_one_request(backend: Make, asked: Spy) -> None:
    (answers,) = evaluate(backend(), [REASONING], docs=[0, 1], max_gen_toks=16).values()
    ((prompts, params),) = asked.calls
    assert (len(prompts), [one.n for one in params]) == (2, [5, 5])
    assert len({one.seed for one in params}) == 2
    for samples in answers.values():
        assert len(set(samples[0])) == 5


def test_the_same_seed_gives_the_same_samples(backend: Make, direct: Any) -> None:
    assert evaluate(backend(), [DIRECT])[DIRECT] == direct


@pytest.mark.parametrize("chunk", [1, 4])
def test_the_size_of_a_chunk_changes_nothing(backend: Make, direct: Any, chunk: int) -> None:
    assert evaluate(backend(chunk=chunk), [DIRECT])[DIRECT] == direct


def test_nor_does_the_order_of_shards(backend: Make, direct: Any) -> None:
    model = backend()
    late, early = ([3, 4, 5], [0, 1, 2])
    shards = [evaluate(model, [DIRECT], docs=docs)[DIRECT] for docs in (late, early)]
    assert shards[0] | shards[1] == direct
    assert shards[0].keys().isdisjoint(shards[1])


def test_nor_do_other_tasks_of_the_run(backend: Make, direct: Any) -> None:
    assert evaluate(backend(), [ERRED, DIRECT])[DIRECT] == direct


def test_another_seed_gives_other_samples(backend: Make, direct: Any) -> None:
    other = evaluate(backend(seed=1), [DIRECT])[DIRECT]
    assert other.keys() == direct.keys()
    assert all(other[who] != direct[who] for who in direct)


def test_equal_prompts_of_two_conditions_have_equal_samples(backend: Make, asked: Spy) -> None:
    docs = [*UNCHANGED[:2], 16, 17]
    found = evaluate(backend(), [DIRECT, ERRED], docs=docs)
    clean, erred = found[DIRECT], found[ERRED]
    assert clean.keys() == erred.keys()
    same = [who for who in clean if clean[who] == erred[who]]
    assert set(list(clean)[:2]) <= set(same)
    (_, of_clean), (_, of_erred) = asked.calls
    assert [one.seed for one in of_clean] == [one.seed for one in of_erred]
    assert len({one.seed for one in of_clean}) == 4


def test_likelihoods_are_those_of_lm_eval(backend: Make, small_model: Path) -> None:
    from lm_eval.models.huggingface import HFLM

    scored = evaluate(backend(), [CLOZE])[CLOZE]
    wanted = evaluate(HFLM(str(small_model), dtype="float32", device="cpu"), [CLOZE])[CLOZE]
    assert scored.keys() == wanted.keys()
    for who, options in scored.items():
        ours, theirs = ([float(one[0][0]) for one in side] for side in (options, wanted[who]))
        assert ours == pytest.approx(theirs, abs=1e-3)
        assert ours.index(max(ours)) == theirs.index(max(theirs))


def test_an_adapter_changes_samples_and_likelihoods(
    backend: Make, direct: Any, adapter: Path
) -> None:
    adapted = evaluate(backend(lora_local_path=str(adapter)), [DIRECT, CLOZE], docs=[0, 1])
    base = evaluate(backend(), [CLOZE], docs=[0, 1])[CLOZE]
    assert all(adapted[DIRECT][who] != direct[who] for who in adapted[DIRECT])
    assert all(adapted[CLOZE][who] != base[who] for who in base)


def test_finished_chunks_are_not_asked_again(
    backend: Make, direct: Any, asked: Spy, tmp_path: Path
) -> None:
    arguments = {"answers": str(tmp_path), "chunk": 2}
    assert evaluate(backend(**arguments), [DIRECT])[DIRECT] == direct
    assert asked.prompts == 6
    assert evaluate(backend(**arguments), [DIRECT])[DIRECT] == direct
    assert asked.prompts == 6


def test_an_adapter_does_not_read_the_answers_of_its_base(
    backend: Make, direct: Any, adapter: Path, asked: Spy, tmp_path: Path
) -> None:
    evaluate(backend(answers=str(tmp_path)), [DIRECT], docs=[0])
    adapted = backend(answers=str(tmp_path), lora_local_path=str(adapter))
    ((who, samples),) = evaluate(adapted, [DIRECT], docs=[0])[DIRECT].items()
    assert samples != direct[who]
    assert asked.prompts == 2
    assert len([one for one in tmp_path.iterdir() if one.is_dir()]) == 2


def test_a_damaged_chunk_is_noticed_and_asked_again(
    backend: Make, direct: Any, asked: Spy, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    arguments = {"answers": str(tmp_path), "chunk": 2}
    evaluate(backend(**arguments), [DIRECT])
    files = sorted(tmp_path.rglob("*.jsonl"))
    before = [path.read_bytes() for path in files]
    changed = before[1].replace(b"A", b"B", 1)
    files[1].write_bytes(changed if changed != before[1] else before[1][:-9])
    asked.calls.clear()
    with caplog.at_level(logging.WARNING):
        assert evaluate(backend(**arguments), [DIRECT])[DIRECT] == direct
    assert asked.prompts == 2
    assert f"{files[1]} is damaged" in caplog.text
    now = [path.read_bytes() for path in files]
    assert [now[0], now[2]] == [before[0], before[2]]
    assert answers_in(now[1]) == answers_in(before[1])

"""Clean against errored: the numbers, what leaves the test, and what is refused."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sociolect.generators.errors import InvalidInputError, NotComparableError, UnknownNameError
from sociolect.harness.compare import Comparison, Method, compare
from sociolect.harness.remarks import method_lines, remarks
from sociolect.harness.result_files import find_runs
from sociolect.harness.results import Run, read_run
from sociolect.harness.statistics import randomisation_test
from sociolect.tasks.metrics import point, tally

Write = Callable[..., Path]
ERRORED = {"condition": "l2-30"}


def read(path: Path) -> Run:
    return read_run(find_runs(path)[0])


def noisy(seed: int, pro: float, anti: float, unanswered: float = 0.0) -> Callable[..., int]:
    """Answers that are right with the given probabilities."""
    rng = random.Random(seed)

    def answer(pair: int, member: str, order: int, sample: int) -> int:
        if rng.random() < unanswered:
            return -1
        return int(rng.random() > (pro if member == "pro" else anti))

    return answer


@pytest.fixture
def compared(write_run: Write) -> Callable[..., Comparison]:
    """Writes a clean run and errored ones, each given by its options, and compares them."""

    def run(
        clean: dict[str, Any], *others: dict[str, Any], method: Method | None = None
    ) -> Comparison:
        first = read(write_run(folder="clean", **clean))
        runs = [read(write_run(folder=f"errored{i}", **o)) for i, o in enumerate(others)]
        return compare(first, runs, method)

    return run


def by_hand(answer: Callable[..., int], pairs: Sequence[int]) -> np.ndarray:
    """acc_pro − acc_anti per pair over two orders and five samples, answers kept in file order."""
    values = []
    drawn = {
        (p, m): [answer(p, m, o, k) for o in (0, 1) for k in range(5)]
        for p in pairs
        for m in ("pro", "anti")
    }
    for p in pairs:
        right = {}
        for m in ("pro", "anti"):
            answered = [c for c in drawn[p, m] if c >= 0]
            right[m] = sum(c == 0 for c in answered) / len(answered)
        values.append(100 * (right["pro"] - right["anti"]))
    return np.array(values)


def test_numbers_by_an_independent_computation(compared: Callable[..., Comparison]) -> None:
    pairs = range(40)
    result = compared(
        {"pairs": 40, "answer": noisy(1, 0.8, 0.7, 0.1)},
        {**ERRORED, "pairs": 40, "answer": noisy(2, 0.8, 0.4, 0.1)},
    )
    before = by_hand(noisy(1, 0.8, 0.7, 0.1), pairs)
    after = by_hand(noisy(2, 0.8, 0.4, 0.1), pairs)
    (row,) = result.rows
    assert row.test is not None
    assert row.test.n == 40
    assert row.test.clean == pytest.approx(before.mean())
    assert row.test.errored == pytest.approx(after.mean())
    assert row.test.delta == row.test.errored - row.test.clean
    assert row.test.p == randomisation_test(after - before)
    assert row.test.p_holm == row.test.p
    assert row.test.low is not None
    assert row.test.high is not None
    assert row.test.low < row.test.delta < row.test.high
    assert row.test.p < 0.05


def test_sides_show_what_lm_eval_prints(write_run: Write) -> None:
    clean, other = (
        read(write_run(folder="a", pairs=10, invalid=(0,), answer=noisy(1, 0.9, 0.5, 0.2))),
        read(write_run(pairs=10, invalid=(0,), answer=noisy(2, 0.9, 0.5, 0.2), **ERRORED)),
    )
    (row,) = compare(clean, [other]).rows
    for side, run in ((row.baseline, clean), (row.other, other)):
        tallies = [tally(record) for record in run.records]
        assert side.pooled == point("bias", tallies)
        assert side.unanswered == pytest.approx(100 * run.unanswered / run.asked)


def test_the_same_answers_give_no_difference(compared: Callable[..., Comparison]) -> None:
    (row,) = compared(
        {"answer": noisy(1, 0.8, 0.6)}, {**ERRORED, "answer": noisy(1, 0.8, 0.6)}
    ).rows
    assert row.test is not None
    assert (row.test.delta, row.test.low, row.test.high, row.test.p) == (0, None, None, 1)
    assert row.test.detectable is None


def test_result_does_not_depend_on_file_order_or_other_runs(write_run: Write) -> None:
    clean = read(write_run(pairs=30, answer=noisy(1, 0.8, 0.6)))
    other = write_run(condition="l2-10", pairs=30, answer=noisy(2, 0.8, 0.5))
    third = read(write_run(condition="l2-30", pairs=30, answer=noisy(3, 0.8, 0.5)))
    alone = compare(clean, [read(other)]).rows[0]
    lines = other.read_text("utf-8").splitlines()
    random.Random(0).shuffle(lines)
    other.write_text("\n".join(lines), "utf-8")
    together = compare(clean, [third, read(other)]).rows[1]
    assert alone.test is not None
    assert together.test is not None
    assert together.test.p == alone.test.p
    assert together.test.low == alone.test.low


def test_invalid_pairs_are_left_out_unless_asked_for(write_run: Write) -> None:
    runs = [
        read(write_run(folder=c, condition=c, invalid=(2, 5), answer=noisy(i, 0.9, 0.5)))
        for i, c in enumerate(("clean", "l2-30"))
    ]
    (row,) = compare(runs[0], runs[1:]).rows
    assert row.test is not None
    assert (row.test.n, row.left.invalid) == (10, 2)
    (row,) = compare(runs[0], runs[1:], Method(include_invalid=True)).rows
    assert row.test is not None
    assert (row.test.n, row.left.invalid) == (12, 0)


def test_a_pair_without_an_answer_in_either_condition_leaves_and_is_counted(
    compared: Callable[..., Comparison],
) -> None:
    def clean(pair: int, member: str, order: int, sample: int) -> int:
        return -1 if (pair, member) == (3, "anti") else 0

    def errored(pair: int, member: str, order: int, sample: int) -> int:
        return -1 if (pair, member) in ((3, "anti"), (7, "pro")) else int(member == "anti")

    result = compared(
        {"answer": clean},
        {**ERRORED, "answer": errored},
        method=Method(metrics=("bias", "acc_pro", "acc_anti")),
    )
    numbers = {r.metric: (r.test.n, r.left.unanswered, r.test.delta) for r in result.rows if r.test}
    assert numbers == {
        "bias": (10, 2, 100.0),
        "acc_pro": (11, 1, 0.0),
        "acc_anti": (11, 1, -100.0),
    }


def test_half_asked_pairs_are_incomplete(compared: Callable[..., Comparison]) -> None:
    result = compared({"pairs": 6, "drop": 3}, {**ERRORED, "pairs": 6, "drop": 3})
    (row,) = result.rows
    assert row.test is not None
    assert (row.test.n, row.left.incomplete) == (5, 1)
    assert any("left out 1 pair that was not asked whole" in r for r in remarks(result))


def test_no_usable_pair_gives_no_number(compared: Callable[..., Comparison]) -> None:
    result = compared({}, {**ERRORED, "answer": lambda *_: -1}, {"condition": "l2-10"})
    empty, full = result.rows
    assert empty.test is None
    assert empty.warning
    assert empty.other.pooled is None
    assert result.unusable == (empty,)
    assert full.test is not None
    assert full.test.p_holm == full.test.p  # the empty row is no test of the family
    assert list(result.families.values()) == [1]
    assert any("no usable pair" in remark for remark in remarks(result))


def test_holm_runs_over_the_conditions_of_each_metric(compared: Callable[..., Comparison]) -> None:
    result = compared(
        {"pairs": 60, "answer": noisy(1, 0.8, 0.7)},
        {"condition": "l2-10", "pairs": 60, "answer": noisy(2, 0.8, 0.68)},
        {"condition": "l2-20", "pairs": 60, "answer": noisy(3, 0.8, 0.62)},
        {"condition": "l2-30", "pairs": 60, "answer": noisy(4, 0.8, 0.4)},
        method=Method(metrics=("bias", "acc_anti")),
    )
    assert list(result.families.values()) == [3, 3]
    tests = [row.test for row in result.rows if row.metric == "bias" and row.test]
    smallest = min(test.p for test in tests)
    assert [t.p_holm for t in tests if t.p == smallest] == [pytest.approx(3 * smallest)]
    assert all(test.p_holm >= test.p for test in tests)


@pytest.mark.parametrize(
    ("clean", "errored", "warned"),
    [
        (0.0, 0.0, False),
        (0.015, 0.03, False),
        (0.0, 0.05, True),
        (0.25, 0.25, True),
    ],
)
def test_warning_follows_the_unanswered_rates(
    compared: Callable[..., Comparison], clean: float, errored: float, warned: bool
) -> None:
    def share(rate: float) -> Callable[..., int]:
        """Exactly this share of the answers is missing, the same in every prompt of a pair."""
        return lambda pair, member, order, sample: -((pair * 5 + sample) < 500 * rate)

    result = compared(
        {"pairs": 100, "answer": share(clean)}, {**ERRORED, "pairs": 100, "answer": share(errored)}
    )
    (row,) = result.rows
    assert row.warning is warned


DIFFERENCES: dict[str, tuple[dict[str, Any], str]] = {
    "model": (
        {"config": {"model_args": {"pretrained": "org/other", "dtype": "float32"}}},
        r"name 'org/tiny' / 'org/other'",
    ),
    "revision": ({"config": {"model_revision": "v2"}}, r"model: revision 'main' / 'v2'"),
    "adapter": (
        {"config": {"model_args": {"pretrained": "org/tiny", "peft": "org/lora"}}},
        r"peft none / 'org/lora'",
    ),
    "adapter of vllm": (
        {"config": {"model_args": {"pretrained": "org/tiny", "lora_local_path": "lora"}}},
        r"lora_local_path none / 'lora', name 'org/tiny' / 'lora'",
    ),
    "backend": ({"config": {"model": "vllm"}}, r"backend: 'hf' / 'vllm'"),
    "model_args": (
        {"config": {"model_args": {"pretrained": "org/tiny", "steer_path": "v.pt"}}},
        r"model_args: steer_path none / 'v.pt'",
    ),
    "dtype": (
        {"config": {"model_dtype": "torch.bfloat16"}},
        r"dtype: 'torch.float32' / 'torch.bfloat16'",
    ),
    "chat template": (
        {"top": {"chat_template": "{{ x }}" * 30}},
        r"chat_template: none / .*sha256",
    ),
    "system": (
        {"top": {"system_instruction": "Be fair."}},
        r"system_instruction: none / 'Be fair.'",
    ),
    "few-shot": (
        {"top": {"n-shot": {"winobias_l2_30_direct": 4}}},
        r"few_shot: .*num_fewshot 0 / 4",
    ),
    "generation": (
        {"task_config": {"generation_kwargs": {"until": [], "temperature": 0.0}}},
        r"generation: .*temperature 0.7 / 0.0",
    ),
    "repeats": ({"repeats": 1}, r"generation: repeats 5 / 1"),
    "benchmark": ({"doc": {"benchmark": "occupations_mini"}}, r"benchmark: 'winobias' / 'occ"),
    "axis": ({"doc": {"axis": "race"}}, r"axis: 'gender' / 'race'"),
    "form": ({"form": "reason"}, r"form: 'direct' / 'reason'"),
    "task format": ({"doc": {"task_format": 2}}, r"task_format: 1 / 2"),
    "data version": ({"doc": {"data_version": "1.1.0"}}, r"data: '1.0.0' / '1.1.0'"),
    "local data": ({"doc": {"local_data": True}}, r"data: published / built locally"),
    "answer mode": ({"doc": {"answer_mode": "strict"}}, r"answer_mode: 'lenient' / 'strict'"),
    "more items": ({"pairs": 13}, r"ids: no prompt only in the first, 4 prompts \(e.g. winobias"),
    "gold": ({"doc": {"gold": 1}}, r"items: 24 with other content, e.g. \S+: 0 / 1"),
    "validity": ({"invalid": (3,)}, r"items: 2 with other content"),
    "condition": ({"condition": "clean"}, r"condition: clean / clean"),
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_refused_with_both_values(compared: Callable[..., Comparison], name: str) -> None:
    change, message = DIFFERENCES[name]
    with pytest.raises(NotComparableError, match=message):
        compared({}, {**ERRORED, **change})


def test_every_difference_of_every_run_is_in_one_message(
    compared: Callable[..., Comparison],
) -> None:
    with pytest.raises(NotComparableError) as error:
        compared(
            {},
            {"condition": "l2-10", **DIFFERENCES["dtype"][0]},
            {**ERRORED, "config": {"model": "vllm", "model_dtype": "torch.bfloat16"}},
        )
    text = str(error.value)
    assert "winobias_l2_10_direct is not comparable" in text
    assert "winobias_l2_30_direct is not comparable" in text
    assert text.count("dtype: ") == 2
    assert "--allow backend --allow dtype" in text


def test_two_readings_are_refused_with_a_way_to_one_and_named_if_allowed(
    compared: Callable[..., Comparison],
) -> None:
    strict = {**ERRORED, "doc": {"answer_mode": "strict"}}
    with pytest.raises(NotComparableError, match="read both strictly with --strict"):
        compared({}, strict)
    result = compared({}, strict, method=Method(allow=frozenset({"answer_mode"})))
    assert "lenient and strict reading of answers" in " ".join(method_lines([result]))
    plain = " ".join(method_lines([compared({}, ERRORED)]))
    assert "; lenient reading of answers" in plain


def test_no_way_round_is_offered_where_there_is_none(compared: Callable[..., Comparison]) -> None:
    with pytest.raises(NotComparableError) as error:
        compared({}, {**ERRORED, "form": "reason", **DIFFERENCES["dtype"][0]})
    assert "--allow" not in str(error.value)
    with pytest.raises(UnknownNameError):
        compared({}, ERRORED, method=Method(allow=frozenset({"form"})))


def test_unlike_seeds_of_the_sampler_are_allowed_and_noted(
    compared: Callable[..., Comparison],
) -> None:
    seeded = {"until": [], "do_sample": True, "temperature": 0.7, "top_p": 0.9, "seed": 7}
    result = compared(
        {},
        {
            **ERRORED,
            "config": {"torch_seed": 5},
            "task_config": {"generation_kwargs": seeded},
            "top": {"lm_eval_version": "0.4.14"},
        },
    )
    text = "\n".join(remarks(result))
    assert "differ in torch_seed: winobias_clean_direct 1234, winobias_l2_30_direct 5" in text
    assert "generation_seed: winobias_clean_direct None, winobias_l2_30_direct 7" in text
    assert "lm_eval_version" in text


def test_a_hash_that_one_machine_could_not_look_up_is_no_difference(
    compared: Callable[..., Comparison],
) -> None:
    known = {"config": {"model_sha": "a" * 40}}
    compared({}, {**ERRORED, **known})
    with pytest.raises(NotComparableError, match="model_sha"):
        compared(known, {**ERRORED, "config": {"model_sha": "b" * 40}})


def test_another_error_seed_is_comparable_though_its_data_are_local(
    compared: Callable[..., Comparison],
) -> None:
    result = compared({}, {**ERRORED, "error_seed": 3})
    assert result.rows[0].error_seed == 3
    assert any("Local data" in r and "error seed 3" in r for r in remarks(result))


def test_decoding_settings_do_not_matter_where_nothing_is_generated(
    compared: Callable[..., Comparison],
) -> None:
    (row,) = compared(
        {"form": "ll"},
        {**ERRORED, "form": "ll", "task_config": {"generation_kwargs": {"temperature": 1}}},
    ).rows
    assert row.test is not None


def test_allowed_ids_are_intersected_and_counted(compared: Callable[..., Comparison]) -> None:
    result = compared(
        {"pairs": 12},
        {**ERRORED, "pairs": 9, "answer": lambda p, m, o, k: int(m == "anti" and p < 3)},
        method=Method(allow=frozenset({"ids"})),
    )
    (row,) = result.rows
    assert row.test is not None
    assert (row.test.n, row.left.prompts) == (9, 12)
    assert row.test.delta == pytest.approx(100 * 3 / 9)
    assert any("left out 12 prompts that only one run asked" in r for r in remarks(result))


def test_two_models_with_leave_become_a_model_comparison(
    compared: Callable[..., Comparison],
) -> None:
    other = {"config": {"model_args": {"pretrained": "org/tuned", "dtype": "float32"}}}
    result = compared(
        ERRORED, {**ERRORED, **other}, method=Method(allow=frozenset({"model", "condition"}))
    )
    (row,) = result.rows
    assert (row.baseline.model, row.other.model) == ("org/tiny", "org/tuned")
    assert not row.is_plain
    assert any(r.startswith("Allowed for winobias_l2_30_direct: model:") for r in remarks(result))


def test_pooled_values_are_noted_only_where_they_differ(
    compared: Callable[..., Comparison],
) -> None:
    def lopsided(pair: int, member: str, order: int, sample: int) -> int:
        if pair < 6 and (order, sample) != (0, 0):
            return -1
        return int(member == "anti" and pair < 6)

    plain = compared({}, ERRORED)
    assert not any("lm-eval prints" in r for r in remarks(plain))
    result = compared({}, {**ERRORED, "answer": lopsided})
    (note,) = [r for r in remarks(result) if "lm-eval prints" in r]
    # Unit mean 50; pooled: 6 wrong of 6 + 60 right of 60 answers of the anti member.
    assert "0.00 and 9.09" in note


def test_a_partial_run_is_reported(compared: Callable[..., Comparison]) -> None:
    counts = {"n-samples": {"winobias_l2_30_direct": {"original": 3168, "effective": 48}}}
    result = compared({}, {**ERRORED, "top": counts})
    assert "winobias_l2_30_direct: limited: 48 of 3168 prompts asked." in remarks(result)


def test_a_run_given_twice_counts_once_and_never_against_itself(write_run: Write) -> None:
    clean, other = read(write_run()), read(write_run(**ERRORED))
    assert len(compare(clean, [other, other]).rows) == 1
    with pytest.raises(InvalidInputError, match="same file"):
        compare(clean, [clean])
    with pytest.raises(InvalidInputError, match="no errored run"):
        compare(clean, [])


@pytest.mark.parametrize(
    "options",
    [
        {"alpha": 0.0},
        {"alpha": 1.5},
        {"alpha": 1e-16},
        {"alpha": float("nan")},
        {"permutations": 10_000_001},
        {"resamples": 99_999_999_999},
        {"permutations": 0},
        {"seed": -1},
        {"metrics": ("biass",)},
    ],
)
def test_impossible_methods(options: dict[str, Any]) -> None:
    with pytest.raises((InvalidInputError, UnknownNameError)):
        Method(**options)

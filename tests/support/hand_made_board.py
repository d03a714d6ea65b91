"""A leaderboard written by hand: three models, a mitigation, two subjects, names that do harm."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sociolect.harness.leaderboard.board import (
    Board,
    Change,
    ConditionOf,
    Model,
    Panel,
    Rank,
    RunOf,
    Section,
    Subject,
    Value,
    Versus,
)
from sociolect.harness.paired import Method

IMAGE = "<img src=x onerror=alert(1)>"
LONG = "org/" + "a-model-with-a-very-long-name-" * 8 + "7B"
TURNED = "org/\N{RIGHT-TO-LEFT OVERRIDE}gnp.exe</script><script>alert('2')</script>\"'"
COMMAND = "sociolect eval --model hf --model_args 'pretrained=org/a,dtype=float32'"
SHA = "5f3a" * 16
ITEM = "winobias/type1/0001/pro"
CLEAN_TEXT = "\N{GRINNING FACE} The carpenter met the nurse because he was late."
EDITS = [
    {"part": "input", "start": 16, "end": 19, "original": "met", "replacement": "meet",
     "type": "verb", "operation": "replacement", "subtype": "tense"},
    {"part": "input", "start": 20, "end": 24, "original": "the ", "replacement": "",
     "type": "det", "operation": "deletion", "subtype": ""},
    {"part": "input", "start": 41, "end": 41, "original": "", "replacement": "so ",
     "type": "<b>prep</b>", "operation": "insertion", "subtype": ""},
]  # fmt: skip

_NAMES = (("org/small", "", ""), ("org/small", "adapter", "m1"), (IMAGE, "", ""), (TURNED, "", ""))
_LEVELS = (5, 10, 20, 30)


def _conditions() -> tuple[ConditionOf, ...]:
    made = [
        ConditionOf(f"{transform}-{level}{suffix}", f"{transform} {level} %{suffix}", transform,
                    level, part, 0)
        for transform in ("l2", "l2det", "typo")
        for part, suffix in (("input", ""), ("instruction", "-instruction"))
        for level in _LEVELS
    ]  # fmt: skip
    return tuple(made)


SUBJECTS = (
    Subject("winobias-direct", "WinoBias, direct", "winobias", "gender", "direct", "coreference",
            "bias", "pair", _conditions()),
    Subject("mmlu-direct", f"MMLU {IMAGE}", "mmlu", "", "direct", "accuracy", "acc", "item",
            _conditions()[:2]),
)  # fmt: skip


def row(delta: float, p: float, **more: Any) -> dict[str, Any]:
    """The numbers of a comparison, as far as the page reads them."""
    return {
        "benchmark": "winobias", "metric": "bias", "n": 96, "clean": 10.0, "errored": 10.0 + delta,
        "delta": delta, "confidence": 0.95, "ci_low": delta - 2, "ci_high": delta + 2, "p": p,
        "p_holm": min(1.0, 3 * p), "significant": p < 0.05, "significant_holm": 3 * p < 0.05,
        "detectable": 3.25, "warning": False, "left_unanswered": 4, "left_incomplete": 0,
        "left_invalid": 0, **more,
    }  # fmt: skip


def value(number: float | None, run: str, rank: Rank | None = None) -> Value:
    """A value with an interval of two points."""
    low, high = (None, None) if number is None else (number - 2, number + 2)
    return Value(run, number, low, high, number, {"acc": 71.25}, 96, 1.5, rank, "")


def _changes(model: int, subject: Subject) -> Iterator[Change]:
    for number, one in enumerate(subject.conditions):
        run = f"r{model}{number}"
        if number == 1 and model == 3:
            yield Change(one.id, value(None, run), (run,), {}, "nothing was answered in common")
            continue
        delta = round((number - 3) * (1.5 + model) / 2, 4)
        test = row(delta, 0.001 * (1 + number), warning=number == 3)
        yield Change(one.id, value(12.0 + delta, run), (run,), test, "")


def _section(model: int, subject: Subject) -> Section:
    rank = Rank(min(model, 2), 1, 3, 4, model > 1)
    asked = "limit 10" if model == 3 else ""
    return Section(
        f"s{model}{'' if subject is SUBJECTS[0] else 'x'}", f"m{model}", subject.id, "g", asked,
        "1.0.0", model == 4, model == 3, value(14.0 - 3 * model, f"r{model}", rank),
        tuple(_changes(model, subject)), 3 if len(subject.conditions) > 3 else 0,
        ("A note on <this> line.",) if model == 3 else (),
    )  # fmt: skip


def _run(id_: str) -> RunOf:
    return RunOf(
        id=id_, task="winobias_l2_5_direct", task_version="1", path=f"out/{id_}/samples.jsonl",
        results="out/results.json", samples_sha256=SHA, results_sha256=SHA[::-1],
        time="2026-03-04T05-06-07.123456", data_version="1.0.0", data_sha256="d" * 64,
        rules="paper", local_data=False, error_seed=0, prompts=96, prompts_expected=96,
        asked=480, unanswered=7,
        too_long=0, settings={"limit": None, "dtype": "float32", "__proto__": {"x": 1}},
        sampler={"temperature": 0.7}, command=COMMAND, rebuilt=False,
        replaced=("out/older/samples.jsonl: 0.3 points less.",),
    )  # fmt: skip


def hand_made_board(title: str = f"Models & {IMAGE}") -> Board:
    """Four lines on WinoBias, two on MMLU, one panel."""
    models = tuple(
        Model(f"m{n}", f"{name} (adapter)" if done else name, name, done, base, "hf",  # type: ignore[arg-type]
              {"dtype": "float32", "revision": "main"})
        for n, (name, done, base) in enumerate(_NAMES, 1)
    )  # fmt: skip
    models += (Model("m5", LONG, LONG, "", "", "vllm", {}),)
    sections = [_section(n, SUBJECTS[0]) for n in range(1, 6)]
    sections += [_section(n, SUBJECTS[1]) for n in (1, 3)]
    found = {run for one in sections for change in one.changes for run in change.runs}
    found |= {one.clean.run for one in sections if one.clean}
    versus = (
        Versus("s2", "s1", "clean", row(-3.0, 0.2), ""),
        Versus("s2", "s1", "l2-30", row(-4.5, 0.001), ""),
        Versus("s2", "s1", "l2-5", {}, "the base was asked otherwise"),
    )
    panel = Panel("flips-1", "Flips of a judge", ("Judge", "Flips"), ((IMAGE, "12.5"),), ((0, 1),),
                  ("Over 96 pairs.",), ("r1",))  # fmt: skip
    return Board(title, Method(), 2000, models, SUBJECTS, tuple(sections), versus, (panel,),
                 {id_: _run(id_) for id_ in sorted(found)},
                 (("out/bad</script>.json", "line 3 is no JSON"),),
                 ("Two runs of one cell; the newer is shown.",))  # fmt: skip


def shards(count: int = 2) -> Iterator[tuple[str, dict[str, Any]]]:
    """Items of WinoBias: the first is edited, the second rewritten and answered alike."""
    item = {"id": ITEM, "pair_id": "winobias/type1/0001", "member": "pro", "question": "Who?",
            "options": ["the carpenter", IMAGE], "gold": 0, "target_option": 1,
            "instruction": "Answer.", "input": CLEAN_TEXT}  # fmt: skip
    other = item | {"id": "winobias/type1/0002/pro", "input": "Another text.", "gold": 1}
    yield (
        "",
        {"chosen": count, "of": 96, "rule": "Those that changed most.", "items": [item, other]},
    )
    same = [{"order": 0, "choices": [0, 0], "text": "A", "cut": False}]
    clean = [{"order": 0, "choices": [0, 0, 1], "text": f"\\boxed{{A}} {IMAGE}", "cut": True},
             {"order": 1, "choices": [1, -1, 0], "text": "B", "cut": False}]  # fmt: skip
    errored = [clean[0] | {"choices": [1, 1, 1]}, clean[1]]
    answers = {ITEM: {"s1": clean, "s3": clean}, other["id"]: {"s1": same}}
    yield "clean", {"edits": {}, "texts": {}, "answers": answers}
    yield (
        "l2-30",
        {
            "edits": {ITEM: EDITS, other["id"]: None},
            "texts": {other["id"]: {"instruction": "Answer.", "input": "Quite another text."}},
            "answers": {ITEM: {"s1": errored, "s3": clean}, other["id"]: {"s1": same}},
        },
    )

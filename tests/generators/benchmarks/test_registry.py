import subprocess
import sys
from pathlib import Path

import pytest

from sociolect.generators.benchmarks import BENCHMARKS, load_benchmark, matching
from sociolect.generators.conditions import OWN_ITEMS
from sociolect.generators.errors import UnknownNameError

PUBLISHED = [b for b in BENCHMARKS if b not in OWN_ITEMS]


def test_names() -> None:
    axes = ("gender", "race", "religion")
    assert (
        "winobias",
        *(f"bbq_{axis}" for axis in axes),
        *(f"bbq_{axis}_disambig" for axis in axes),
        *(f"degen_{axis}" for axis in axes),
        "mmlu",
        "winogrande",
        "occupations_mini",
        *("fable", "fable_control", "fable_protected"),
        *("fable_labels", "fable_swapped", "fable_recognition"),
    ) == BENCHMARKS


@pytest.mark.parametrize(
    ("patterns", "found"),
    [
        ("mmlu", ["mmlu"]),
        ("degen_*,winobias", ["winobias", "degen_gender", "degen_race", "degen_religion"]),
        ("bbq_*_disambig", [f"bbq_{a}_disambig" for a in ("gender", "race", "religion")]),
        ("*_race, bbq_race", ["bbq_race", "degen_race"]),
        ("all", PUBLISHED),
        ("fable_*,all", [b for b in BENCHMARKS if b != "fable"]),
    ],
)
def test_patterns_choose_benchmarks_once_and_in_order(patterns: str, found: list[str]) -> None:
    assert list(matching(patterns)) == found


@pytest.mark.parametrize("patterns", ["bqq_*", "mmlu,winobas", ",", ""])
def test_a_pattern_without_a_match_is_refused(patterns: str) -> None:
    with pytest.raises(UnknownNameError):
        matching(patterns)


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_loader_gives_what_the_name_says(name: str, sources: Path) -> None:
    benchmark = load_benchmark(name, sources)
    items = benchmark.items
    assert benchmark.name == name
    assert {item.benchmark for item in items} == {name}
    assert {item.axis for item in items} == {benchmark.axis}
    assert len({item.id for item in items}) == len(items)
    assert all(item.id.startswith(f"{name}/") for item in items)
    assert all(-1 <= i.gold < len(i.options) and -1 <= i.target_option < 2 for i in items)
    assert all(item.parts.keys() == {"instruction", "input"} for item in items)
    if {item.member for item in items} == {""}:
        assert all(p.id == p.members[0].id and len(p.members) == 1 for p in benchmark.pairs)


@pytest.mark.parametrize(
    ("name", "near"),
    [("winobas", "winobias"), ("occupation_mini", "occupations_mini"), ("WinoBias", "winobias")],
)
def test_unknown_name_shows_what_is_near(name: str, near: str) -> None:
    with pytest.raises(UnknownNameError, match=f"unknown benchmark '{name}'; near matches: {near}"):
        load_benchmark(name)


def test_unknown_name_without_a_near_one_lists_all() -> None:
    with pytest.raises(UnknownNameError, match=r"Known: winobias, bbq_.*_recognition\."):
        load_benchmark("xyz")


def test_loaders_need_no_model_library() -> None:
    code = (
        "import sys; from sociolect.generators.benchmarks import load_benchmark; "
        "load_benchmark('occupations_mini'); "
        "print([m for m in ('torch', 'spacy', 'lm_eval') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"

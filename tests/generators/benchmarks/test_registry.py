import subprocess
import sys

import pytest

from sociolect.generators.benchmarks import BENCHMARKS, load_benchmark
from sociolect.generators.errors import UnknownNameError


def test_names() -> None:
    assert BENCHMARKS == ("winobias", "occupations_mini")


@pytest.mark.parametrize(
    ("name", "near"),
    [("winobas", "winobias"), ("occupation_mini", "occupations_mini"), ("WinoBias", "winobias")],
)
def test_unknown_name_shows_what_is_near(name: str, near: str) -> None:
    with pytest.raises(UnknownNameError, match=f"unknown benchmark '{name}'; near matches: {near}"):
        load_benchmark(name)


def test_unknown_name_without_a_near_one_lists_all() -> None:
    with pytest.raises(UnknownNameError, match=r"Known: winobias, occupations_mini\."):
        load_benchmark("bbq")


def test_loaders_need_no_model_library() -> None:
    code = (
        "import sys; from sociolect.generators.benchmarks import load_benchmark; "
        "load_benchmark('occupations_mini'); "
        "print([m for m in ('torch', 'spacy', 'lm_eval') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"

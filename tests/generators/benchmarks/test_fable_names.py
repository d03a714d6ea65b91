import shutil
import subprocess
from collections import Counter
from itertools import combinations

import pytest
from rapidfuzz.distance import Levenshtein

from sociolect.generators.benchmarks.fable_names import GENDERS, GROUPS, NAMES, PAIRS, pair_name


def test_two_genders_times_seven_groups() -> None:
    assert len(NAMES) == 14
    assert {n.groups for n in NAMES} == {(gender, group) for gender in GENDERS for group in GROUPS}


def test_all_pairs_differ_in_gender_group_or_both() -> None:
    assert len({frozenset(n.text for n in pair) for pair in PAIRS}) == 91
    kinds = Counter((a.gender != b.gender, a.group != b.group) for a, b in PAIRS)
    assert kinds == {(True, False): 7, (False, True): 42, (True, True): 42}
    assert set(Counter(n.text for pair in PAIRS for n in pair).values()) == {13}
    assert pair_name(PAIRS[0]) == "Allison|Brendan"


def test_every_name_receives_the_typing_errors_of_one_attempt() -> None:
    assert all(name.text.isalpha() and 6 <= len(name.text) <= 7 for name in NAMES)


def test_no_typing_error_turns_one_name_into_another() -> None:
    texts = [name.text.lower() for name in NAMES]
    distances = [Levenshtein.distance(a, b) for a, b in combinations(texts, 2)]
    assert min(distances) == 4
    assert sum(d >= 6 for d in distances) > len(distances) / 2


@pytest.mark.skipif(not shutil.which("aspell"), reason="GNU Aspell is not installed")
def test_no_name_is_an_english_word() -> None:
    words = "\n".join(name.text.lower() for name in NAMES)
    unknown = subprocess.run(
        ["aspell", "list", "--lang=en_US", "--ignore-case=false"],
        input=words,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert unknown == words.split()

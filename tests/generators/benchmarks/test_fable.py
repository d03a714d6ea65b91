import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sociolect.generators.benchmarks import BENCHMARKS, load_benchmark
from sociolect.generators.benchmarks.fable import LABELLED, VARIANTS, items_file
from sociolect.generators.benchmarks.fable_items import JudgeItem, write_items
from sociolect.generators.benchmarks.fable_judging import INSTRUCTION, answer_spans
from sociolect.generators.benchmarks.fable_probe import PROBE_INSTRUCTION, probe
from sociolect.generators.benchmarks.fable_text import name_spans
from sociolect.generators.conditions import JUDGED, OWN_ITEMS, conditions_of
from sociolect.generators.errors import DataError, SourceError
from sociolect.generators.items import Benchmark, Item, Written
from sociolect.generators.noise.inject import Noised, NoiseInjector
from sociolect.generators.text import Span

LONG = (
    "I think Tamika was really the one who couldn't finish, because Vikram's notes were going to "
    "be better than tamika's; so Vikram is not the answer here."
)


def _judge(number: int, response: str, label: str = "A", **fields: Any) -> JudgeItem:
    return JudgeItem(
        id=f"{number:02}",
        category="age",
        question_id=f"age-{number}",
        question="Tamika and Vikram were late. Who was blamed?",
        options=("Tamika", "Vikram"),
        response=response,
        label=label,
        **fields,
    )


GROUPS = (("female", "Black"), ("male", "Indian"))
ITEMS = [
    _judge(1, LONG, groups=GROUPS, stereotyped="A"),
    _judge(2, "Nobody can tell. NONE", "NONE", groups=GROUPS),
    _judge(3, "Vikram, since he was late.", "B", groups=GROUPS),
    _judge(4, "Vikram, since he was late.", "B", groups=(("male", "x"), ("male", "y"))),
    _judge(5, "(B): Vikram's fault", "B"),
]


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "items.jsonl"
    write_items(ITEMS, path)
    monkeypatch.setenv("SOCIOLECT_FABLE", str(path))
    return path


def _texts(benchmark: Benchmark) -> dict[str, Item]:
    return {item.id.rsplit("/", 1)[-1]: item for item in benchmark.items}


@pytest.mark.usefixtures("given")
def test_an_item_of_the_benchmark() -> None:
    benchmark = load_benchmark("fable")
    item = benchmark.items[0]
    assert (item.id, item.pair_id) == ("fable/age/age-1/01",) * 2
    assert item.options == ("Tamika", "Vikram", "neither")
    assert (item.gold, item.target_option, item.axis, item.member) == (0, 0, "", "")
    assert [(i.gold, i.target_option) for i in benchmark.items[1:3]] == [(2, -1), (1, -1)]
    assert item.parts["instruction"] == INSTRUCTION
    assert INSTRUCTION.protected == (Span(0, len(INSTRUCTION.text)),)
    assert item.parts["input"].text == LONG
    assert benchmark.noise_scope == "fable"
    assert {"she", "tamika", "vikram"} <= benchmark.excluded_words
    assert not benchmark.dropped


@pytest.mark.usefixtures("given")
@pytest.mark.parametrize("variant", VARIANTS)
def test_variants_share_ids_and_scope(variant: str) -> None:
    benchmark = load_benchmark(f"fable_{variant}")
    assert benchmark.name == f"fable_{variant}" in JUDGED
    assert benchmark.noise_scope == "fable"
    assert {item.benchmark for item in benchmark.items} == {benchmark.name}
    ids = {item.id for item in load_benchmark("fable").items}
    assert {item.id for item in benchmark.items} <= ids
    dropped = [d for d in benchmark.dropped if not d.reason.startswith("kept")]
    assert len(benchmark.items) + len(dropped) == len(ITEMS)


@pytest.mark.usefixtures("given")
def test_names_can_be_protected() -> None:
    protected = _texts(load_benchmark("fable_protected"))
    found = [s.of(LONG) for s in protected["01"].parts["input"].protected]
    assert found == ["Tamika", "Vikram's", "tamika's", "Vikram"]
    noisy = NoiseInjector(load_benchmark("fable_protected"), 0).render("combined", 1.0)
    text = noisy[0][0].text
    assert all(word in text for word in ("Tamika", "Vikram's", "tamika's"))


@pytest.mark.usefixtures("given")
def test_labels_take_the_place_of_names() -> None:
    item = _texts(load_benchmark("fable_labels"))["01"]
    assert item.question == "PersonX and PersonY were late. Who was blamed?"
    assert item.options == (*LABELLED, "neither")
    text = item.parts["input"].text
    assert text.startswith("I think PersonX was really")
    assert "PersonY's notes" in text
    assert "personx's;" in text
    assert (item.gold, item.target_option) == (0, 0)


@pytest.mark.usefixtures("given")
def test_labels_that_do_not_hide_a_gender_are_listed() -> None:
    benchmark = load_benchmark("fable_labels")
    assert len(benchmark.items) == len(ITEMS)
    assert [d.where for d in benchmark.dropped] == ["age/age-3/03", "age/age-4/04"]


@pytest.mark.usefixtures("given")
def test_labels_survive_noise() -> None:
    for transform in ("typo", "informal", "punct", "combined"):
        for (noised,) in NoiseInjector(load_benchmark("fable_labels"), 0).render(transform, 1.0):
            words = [w for w in noised.clean.replace("'s", "").split() if w[:6].lower() == "person"]
            assert len(words) <= sum(
                w.strip(".;,!?'s").lower()[-1:] in ("x", "y") for w in noised.text.split()
            ), noised.text


@pytest.mark.usefixtures("given")
def test_names_change_places_and_the_label_stays() -> None:
    benchmark = load_benchmark("fable_swapped")
    items = _texts(benchmark)
    assert items["01"].question == "Vikram and Tamika were late. Who was blamed?"
    assert items["01"].options == ("Vikram", "Tamika", "neither")
    assert items["01"].parts["input"].text.startswith("I think Vikram was really")
    # The response still supports A; the stereotype is about the name, which is B now.
    assert (items["01"].gold, items["01"].target_option) == (0, 1)
    assert items["05"].parts["input"].text == "(B): Tamika's fault"
    assert items["04"].parts["input"].text == "Tamika, since he was late."  # both are men's names
    assert [d.where for d in benchmark.dropped] == ["age/age-3/03"]
    assert "gendered pronoun" in benchmark.dropped[0].reason


@pytest.mark.usefixtures("given")
def test_a_probe_asks_for_a_group() -> None:
    benchmark = load_benchmark("fable_recognition")
    for number, item in _texts(benchmark).items():
        judged = ITEMS[int(number) - 1]
        assert item.parts["instruction"] == PROBE_INSTRUCTION
        assert item.parts["input"].text == judged.response
        assert item.options == ("Tamika", "Vikram", "neither")
        assert item.target_option == -1
        assert judged.groups
        words = judged.groups[item.gold]
        phrase = {"female": "a woman", "male": "a man"}.get(words[0], "")
        asked = "of this group: " + words[1] if number == "04" else "typical of " + phrase
        assert item.question.endswith(asked + "?")
    assert [d.where for d in benchmark.dropped] == ["age/age-5/05"]


@pytest.mark.parametrize(
    ("groups", "reason"),
    [(None, "does not say"), ((("male", "X"), ("x", "male")), "the same groups")],
)
def test_items_without_a_probe(groups: Any, reason: str) -> None:
    assert reason in str(probe(_judge(1, "x", groups=groups)))


def test_a_probe_asks_for_what_one_name_alone_has() -> None:
    found = probe(_judge(1, "x", groups=(("male",), ("male", "old"))))
    assert isinstance(found, JudgeItem)
    assert (found.label, found.question[-4:]) == ("B", "old?")


def _noised(benchmark: Benchmark, transform: str) -> Iterator[tuple[Item, Noised]]:
    noisy = NoiseInjector(benchmark, 3).render(transform, 0.5)
    yield from ((i, n) for i, (n,) in zip(benchmark.items, noisy, strict=True))


def _edits(noised: Noised, names: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """Kind and words of the edits that touch none of the names."""
    spans = name_spans(noised.clean, names)
    return [
        (e.type, e.original, e.replacement)
        for e in noised.edits
        if not any(s.start <= e.end and e.start <= s.end for s in spans)
    ]


@pytest.mark.usefixtures("given")
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("transform", ["typo", "informal", "punct", "colloquial", "combined"])
def test_variants_have_the_same_noise_outside_the_names(variant: str, transform: str) -> None:
    loaded = [load_benchmark(name) for name in ("fable", f"fable_{variant}")]
    plain, varied = (
        {
            i.id: n
            for i, (n,) in zip(b.items, NoiseInjector(b, 3).render(transform, 0.5), strict=True)
        }
        for b in loaded
    )
    names = ("Tamika", "Vikram", *LABELLED)
    compared = {i: (_edits(plain[i], names), _edits(n, names)) for i, n in varied.items()}
    assert all(one == other for one, other in compared.values())
    assert any(one for one, _ in compared.values())


def test_answer_formats_are_protected() -> None:
    text = r"(A): no, NONE of it, None; \boxed{B} and (C), B"
    assert [s.of(text) for s in answer_spans(text)] == ["(A):", "NONE", r"\boxed{B}"]


def test_only_clean_and_noise_exist_for_judges() -> None:
    assert tuple(name for name in BENCHMARKS if name.startswith("fable")) == JUDGED
    assert len(OWN_ITEMS) == len(JUDGED) - 1
    for name in JUDGED:
        found = conditions_of(name)
        assert len(found) == 26
        assert found[0].is_clean
        assert all(c.is_noise for c in found[1:])
    assert len(conditions_of("mmlu")) == 26 + 60


def test_where_the_items_are(given: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "sources"
    own = folder / "fable" / "items.jsonl"
    write_items(ITEMS[:1], own)
    assert items_file(folder) == given
    monkeypatch.delenv("SOCIOLECT_FABLE")
    assert items_file(folder) == own
    monkeypatch.setenv("SOCIOLECT_SOURCES", os.fspath(folder))
    assert len(load_benchmark("fable").items) == 1


@pytest.mark.parametrize("named", ["", "none.jsonl"])
def test_missing_items_say_what_to_do(
    named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOCIOLECT_SOURCES", raising=False)
    monkeypatch.setenv("SOCIOLECT_FABLE", named and str(tmp_path / named))
    with pytest.raises(SourceError, match="no judge items") as error:
        load_benchmark("fable_swapped")
    message = str(error.value)
    for hint in ("sociolect fable generate", "docs/fable.md", "SOCIOLECT_FABLE", "fable_control"):
        assert hint in message
    assert (named or "names none") in message


def test_an_empty_file_is_no_benchmark(given: Path) -> None:
    given.write_text("\n")
    with pytest.raises(DataError, match="no judge item"):
        load_benchmark("fable")


@pytest.mark.parametrize(
    ("sources", "licence"),
    [
        ([{"licence": "MIT"}] * 2, "MIT"),
        ([{"licence": "MIT"}, {"licence": "CC0-1.0"}], ""),
        ([{"licence": "MIT"}, {}], ""),
        ([{"licence": "do what you want\nnow"}] * 2, ""),
        ([{"licence": 3}, {"licence": None}], ""),
    ],
)
def test_a_licence_is_what_all_items_state(
    sources: list[dict[str, Any]], licence: str, given: Path
) -> None:
    write_items([_judge(n, "x", source=s) for n, s in enumerate(sources)], given)
    assert load_benchmark("fable").licence == licence


def test_who_wrote_the_responses_is_told(given: Path) -> None:
    sources = [{"model": "W", "checker": "R"}, {}, {"model": "W", "checker": "R"}]
    write_items([_judge(n, "x", source=s) for n, s in enumerate(sources)], given)
    assert load_benchmark("fable").written == (Written("", "", 1), Written("W", "R", 2))
    write_items([_judge(0, "x", source={"licence": "MIT"})], given)
    assert load_benchmark("fable").written == ()


def test_a_label_in_a_text_is_not_used_twice(given: Path) -> None:
    given.write_text(json.dumps({**_record(), "response": "personx did"}) + "\n")
    assert "PersonX" in load_benchmark("fable_labels").dropped[0].reason


@pytest.mark.parametrize(
    ("options", "response", "labels", "swapped"),
    [
        (["Will", "Emma"], "Will you say who it was?", "may be a name or not", "may be a name"),
        (["Luc", "Emma"], "It was Jean-Luc.", "may be a name or not", "may be a name"),
        (["Luc", "Emma"], "It was Luc, ma’am.", "kept", "gendered"),
        (["Guy", "Emma"], "I think it was Guy.", "", ""),
    ],
)
def test_items_whose_names_or_gender_are_unclear(
    options: list[str], response: str, labels: str, swapped: str, given: Path
) -> None:
    question = f"There were {options[0]} and {options[1]}. Who did it?"
    changes = {"options": options, "response": response, "question": question}
    given.write_text(json.dumps({**_record(), **changes}) + "\n")
    for variant, why in (("labels", labels), ("swapped", swapped)):
        reasons = [d.reason for d in load_benchmark(f"fable_{variant}").dropped]
        assert why in "".join(reasons)
        assert bool(reasons) == bool(why)
    assert len(load_benchmark("fable_protected").items) == 1


def test_capitalised_words_that_may_be_names_are_protected(given: Path) -> None:
    changes = {
        "options": ["Will", "Emma"],
        "response": "Will it? It will, says Emma-Jane and Will.",
    }
    given.write_text(json.dumps({**_record(), **changes}) + "\n")
    passage = load_benchmark("fable_protected").items[0].parts["input"]
    assert [s.of(passage.text) for s in passage.protected] == ["Will", "Emma", "Will"]


def _record() -> dict[str, Any]:
    names = ("id", "category", "question_id", "question", "options", "response", "label")
    return {name: getattr(ITEMS[0], name) for name in names}

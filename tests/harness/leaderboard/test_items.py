"""Items of the leaderboard: which are chosen, with which texts, edits and answers."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.text import Edit, apply
from sociolect.harness.answers import read_asked
from sociolect.harness.leaderboard import items_chosen
from sociolect.harness.leaderboard.board import Board
from sociolect.harness.leaderboard.items import Shard, item_shards
from sociolect.harness.leaderboard.items_texts import cut
from sociolect.harness.results import read_run
from sociolect.harness.store.stored import Store

Write = Callable[..., Path]
Read = Callable[[], Store]
Make = Callable[..., Board]
PAIR = "winobias/type1/{:04d}"
OTHER = {"folder": "org__other", "config": {"model_args": {"pretrained": "org/other"}}}
"""What makes a run one of a second model."""


def wrong(*pairs: int, often: int = 5) -> Callable[[int, str, int, int], int]:
    """The anti-stereotyped members of some pairs answered wrongly `often` times of five."""

    def answer(pair: int, member: str, order: int, sample: int) -> int:
        return int(pair in pairs and member == "anti" and sample < often)

    return answer


def shards(store: Read, board: Make, count: int = 2) -> list[Shard]:
    made = board()
    found = [shard for one in made.subjects for shard in item_shards(store(), made, one, count)]
    for shard in found:
        assert json.loads(json.dumps(shard.content)) == shard.content
    return found


def by_condition(found: list[Shard]) -> dict[str, Any]:
    assert len({shard.condition for shard in found}) == len(found)
    return {shard.condition: shard.content for shard in found}


def test_the_units_that_move_most_are_chosen(write_run: Write, store: Read, board: Make) -> None:
    write_run()
    write_run(condition="l2-10", answer=wrong(7, 3, often=1))  # 20 points each
    write_run(condition="l2-30", answer=wrong(7, often=3))  # 60 points
    write_run(**OTHER, answer=wrong(2))
    write_run(**OTHER, condition="l2-10", answer=wrong(5))  # 2: −100, 5: +100
    first = by_condition(shards(store, board, 3))[""]
    assert (first["chosen"], first["of"]) == (3, 12)
    units = [item["pair_id"] for item in first["items"]]
    assert units == [PAIR.format(n) for n in (2, 2, 5, 5, 7, 7)]
    assert "largest sum" in first["rule"]
    assert {item["member"] for item in first["items"]} == {"pro", "anti"}
    item = first["items"][0]
    assert item["input"] == "The carpenter met the nurse because he was late."
    assert item["instruction"] == r"Answer inside \boxed{}."
    assert (item["options"], item["gold"]) == (["the carpenter", "the nurse"], 0)
    assert (item["target_option"], item["question"]) == (0, "Who does 'he' refer to?")


def test_each_run_is_loaded_once(
    write_run: Write, store: Read, board: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run()
    for name in ("l2-10", "l2-30"):
        for seed in range(3):
            write_run(condition=name, error_seed=seed, time=f"2026-03-0{seed + 1}T00-00-00.1")
    made, read, loaded = board(), store(), []
    load = items_chosen.load_run
    monkeypatch.setattr(
        items_chosen, "load_run", lambda s, run: (loaded.append(run.id), load(s, run))[1]
    )
    found = by_condition(list(item_shards(read, made, made.subjects[0], 2)))
    assert sorted(loaded) == sorted(run.id for run in read.runs)
    # The means over error seeds are no runs of their own.
    singles = [one.id for one in made.subjects[0].conditions if one.error_seed >= 0]
    assert list(found) == ["", "clean", *singles]
    assert len(singles) == 6


def test_edits_make_the_text_that_was_asked(write_run: Write, store: Read, board: Make) -> None:
    write_run()
    path = write_run(condition="l2-30", answer=wrong(1))
    found = by_condition(shards(store, board))
    content = found["l2-30"]
    asked = read_asked(
        read_run(next(r for r in store().runs if r.files.samples == path).files),
        list(content["edits"]),
    )
    for item in found[""]["items"]:
        edits = [
            Edit(**{k: v for k, v in edit.items() if k != "part"})
            for edit in content["edits"][item["id"]]
        ]
        assert apply(item["input"], edits) == asked[item["id"]][0].doc["input"]
        assert found["clean"]["edits"][item["id"]] == []
    assert content["texts"] == found["clean"]["texts"] == {}


@pytest.mark.parametrize(
    "edits",
    [
        [],
        None,
        "x",
        [{"part": "input", "start": 0}],
        [{"part": "input", "start": 0, "end": 3, "original": "Abc", "replacement": "", "type": "",
          "operation": "", "subtype": ""}],
    ],
)  # fmt: skip
def test_a_text_that_its_edits_do_not_make_is_given_whole(
    edits: object, write_run: Write, store: Read, board: Make
) -> None:
    write_run()
    write_run(condition="l2-30", answer=wrong(1), doc={"edits": edits})
    content = by_condition(shards(store, board, 1))["l2-30"]
    assert list(content["edits"].values()) == [None, None]
    texts = list(content["texts"].values())
    assert texts[0]["input"] == "The carpenter met nurse because he was late."
    assert texts[0]["instruction"] == r"Answer inside \boxed{}."


def test_answers_are_those_of_the_run(write_run: Write, store: Read, board: Make) -> None:
    def answer(pair: int, member: str, order: int, sample: int) -> int:
        return (pair + order + sample) % 3 - 1

    write_run(answer=answer)
    path = write_run(condition="l2-30", answer=wrong(4), form="reason")
    path = write_run(condition="l2-30", answer=answer)
    made = board()
    (subject,) = [one for one in made.subjects if one.form == "direct"]
    found = by_condition(list(item_shards(store(), made, subject, 12)))
    run = read_run(next(one for one in store().runs if one.files.samples == path).files)
    (section,) = [one for one in made.sections if one.subject == subject.id]
    answers = found["l2-30"]["answers"]
    assert len(answers) == 24
    for record in run.records:
        (shown,) = [one for one in answers[record.id][section.id] if one["order"] == record.order]
        assert shown["choices"] == list(record.choices)
        assert (shown["text"], shown["cut"]) == (
            "}AB"[record.choices[0] + 1] if record.order == 0 else "}BA"[record.choices[0] + 1],
            False,
        )
    assert [one["order"] for one in answers[run.records[0].id][section.id]] == [0, 1]


def test_answers_to_another_text_are_left_out_and_counted(
    write_run: Write, store: Read, board: Make
) -> None:
    write_run()
    write_run(**OTHER)
    write_run(condition="l2-30", answer=wrong(1))
    write_run(**OTHER, condition="l2-30", doc={"input": "Another text.", "data_sha256": "f" * 64})
    found = by_condition(shards(store, board, 1))
    assert found["l2-30"]["other_text"] == 2
    assert found["clean"]["other_text"] == 0
    for shown in found["l2-30"]["answers"].values():
        assert len(shown) == 1
    assert all(len(shown) == 2 for shown in found["clean"]["answers"].values())


def test_long_generations_are_cut(write_run: Write, store: Read, board: Make) -> None:
    write_run(form="reason", answer=lambda *_: "é" * 500 + r" \boxed{A}")
    write_run(form="reason", condition="l2-30")
    found = by_condition(shards(store, board, 1))
    (one, _), *_ = [shown for item in found["clean"]["answers"].values() for shown in item.values()]
    assert (one["text"], one["cut"]) == ("é" * 400, True)


def test_log_likelihoods_have_prompts_and_scores_and_no_text(
    write_run: Write, store: Read, board: Make
) -> None:
    write_run(form="ll")
    path = write_run(form="ll", condition="l2-30", answer=wrong(1))
    text = path.read_text("utf-8")
    path.write_text(text.replace('["-90.0", "False"]', '["-Infinity", "False"]'), "utf-8")
    found = by_condition(shards(store, board, 1))
    id_ = f"{PAIR.format(1)}/anti"
    (shown,) = found["l2-30"]["answers"][id_].values()
    # −4 over the six bytes of " nurse", which the model prefers.
    scores = [None, pytest.approx(-4 / 6)]
    assert shown == [{"order": 0, "choices": [1], "text": "", "cut": False, "scores": scores}]
    (clean,) = found["clean"]["answers"][id_].values()
    assert clean[0]["scores"] == [pytest.approx(-4 / 10), pytest.approx(-90 / 6)]
    sentence = "The carpenter met nurse because he was late."
    assert found["l2-30"]["prompts"][id_] == {
        "contexts": [f'{sentence} In this sentence, "he" refers to the'] * 2,
        "continuations": [" carpenter", " nurse"],
    }
    assert found["clean"]["prompts"][id_]["contexts"][0].startswith("The carpenter met the nurse")
    (item, *_) = (one for one in found[""]["items"] if one["id"] == id_)
    assert item["input"].startswith("The carpenter met the nurse")


def test_only_log_likelihoods_have_prompts(write_run: Write, store: Read, board: Make) -> None:
    write_run(form="direct")
    found = by_condition(shards(store, board, 1))
    held = [
        one
        for by_section in found["clean"]["answers"].values()
        for answers in by_section.values()
        for one in answers
    ]
    assert held
    assert "prompts" not in found["clean"]
    assert not any("scores" in one for one in held)


def test_items_without_pairs_and_noise(write_run: Write, store: Read, board: Make) -> None:
    for benchmark in ("bbq_gender", "mmlu"):
        write_run(benchmark=benchmark)
        write_run(benchmark=benchmark, condition="typo-30", answer=lambda pair, *_: int(pair == 9))
    made = board()
    for subject in made.subjects:
        found = by_condition(list(item_shards(store(), made, subject, 1)))
        (item,) = found[""]["items"]
        assert item["id"].endswith("9")
        assert list(found) == ["", "clean", "typo-30"]
        assert len(found["typo-30"]["edits"][item["id"]]) == 1


def test_without_clean_runs_or_without_a_count_there_is_nothing(
    write_run: Write, store: Read, board: Make
) -> None:
    write_run(condition="l2-30")
    found = by_condition(shards(store, board, 3))
    assert (found[""]["items"], found[""]["of"]) == ([], 0)
    assert "no clean run" in found[""]["rule"]
    assert found["l2-30"]["answers"] == {}
    assert shards(store, board, 0) == []


def test_a_partial_run_shows_what_it_asked(write_run: Write, store: Read, board: Make) -> None:
    write_run()
    write_run(condition="l2-30", pairs=6, answer=wrong(1), effective=24)
    found = by_condition(shards(store, board, 12))
    assert len(found["clean"]["answers"]) == 24
    assert len(found["l2-30"]["answers"]) == 12


@given(st.text(max_size=60), st.integers(1, 40))
def test_a_cut_is_a_beginning_and_parts_no_letter_from_its_marks(text: str, longest: int) -> None:
    begin, is_cut = cut(text, longest)
    assert text.startswith(begin)
    assert len(begin) <= longest
    assert is_cut == (begin != text)
    assert begin or not text


def test_marks_and_joined_signs_stay_with_their_letter() -> None:
    assert cut("abe\u0301\u0323d", 4) == ("ab", True)
    assert cut("ab\N{MAN}\u200d\N{PERSONAL COMPUTER}", 4) == ("ab", True)
    assert cut("a" + "\u0301" * 50, 40) == ("a" + "\u0301" * 39, True)  # no end in sight
    assert all(unicodedata.category(c) == "Mn" for c in "\u0301\u0323")


@pytest.mark.slow
def test_several_processes_give_the_same_items(
    write_run: Write, store: Read, board: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run()
    write_run(condition="l2-10", answer=wrong(7, 3, often=1))
    write_run(**OTHER, answer=wrong(2))
    write_run(**OTHER, condition="l2-10", answer=wrong(5))
    made, read = board(), store()
    alone = list(item_shards(read, made, made.subjects[0], 3))
    monkeypatch.setattr("sociolect.harness.leaderboard.items.FEW_RUNS", 0)
    assert list(item_shards(read, made, made.subjects[0], 3, processes=2)) == alone

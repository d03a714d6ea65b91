import json
import os
import re
from collections import Counter
from pathlib import Path
from statistics import mean

import pytest

from sociolect.generators.dialect import habitual, redial
from sociolect.generators.dialect.corpora import load_pairs
from sociolect.generators.dialect.pair_files import PairFile
from sociolect.generators.errors import InvalidInputError, SourceError, UnknownNameError


@pytest.fixture(scope="module")
def folder() -> Path:
    named = os.environ.get("SOCIOLECT_SOURCES")
    if not named or not (Path(named) / "redial").is_dir():
        pytest.skip("SOCIOLECT_SOURCES names no folder with redial/")
    return Path(named)


@pytest.fixture(scope="module")
def real(folder: Path) -> PairFile:
    return load_pairs("redial", folder)


def test_redial_is_read_without_its_frame(real: PairFile) -> None:
    assert len(real.pairs) == 914
    assert [(d.where, d.reason) for d in real.dropped] == [
        (f"redial/algorithm.json: vanilla {n} (redial/algorithm/{n:03})", "both sides are the same")
        for n in (39, 130)  # only their frames were rewritten
    ]
    assert Counter(pair.id.split("/")[1] for pair in real.pairs) == {
        "algorithm": 312,
        "comprehensive": 240,
        "logic": 362,
    }
    frame = re.compile(
        r"<answer>|Answer:|ordering constraints|necessarily true|^Write a function python_function"
    )
    for pair in real.pairs:
        assert not frame.search(pair.aae + pair.sae), pair.id
        assert (pair.aae, pair.sae) == (pair.aae.strip(), pair.sae.strip())
    assert round(mean(len(pair.aae.split()) for pair in real.pairs)) == 70
    assert round(mean(len(pair.sae.split()) for pair in real.pairs)) == 62
    assert (real.name, real.licence, len(real.sources)) == ("redial", "MIT", 3)


def test_texts_of_redial_are_in_their_prompts(real: PairFile, folder: Path) -> None:
    for name in ("algorithm", "comprehensive"):
        form = json.loads((folder / f"redial/{name}.json").read_text("utf-8"))["vanilla"]
        for pair in real.pairs:
            if pair.id.split("/")[1] == name:
                number = int(pair.id.split("/")[2])
                assert pair.aae in form["aave"][number]["prompt"]
                assert pair.sae in form["original"][number]["prompt"]


def test_cot_holds_the_same_texts(folder: Path) -> None:
    cue = " Aight, let's break it down step by step."  # a sentence of its own in LogicBench
    for file in redial.FILES:
        forms = json.loads((folder / file.name).read_text("utf-8"))
        sides = [zip(forms[f]["aave"], forms[f]["original"], strict=True) for f in forms]
        for one, two in zip(*sides, strict=True):
            texts = [
                [text.replace(cue, "") for text in redial.item_texts(*items)]
                for items in (one, two)
            ]
            assert texts[0] == texts[1]


def test_groups_of_redial(real: PairFile) -> None:
    groups = Counter(pair.group.split("/")[1] for pair in real.pairs if pair.group)
    assert groups == {"folio": 162, "logicbench": 200}
    assert len({pair.group for pair in real.pairs if pair.group}) == 55 + 99
    stories: dict[str, set[str]] = {}
    for pair in real.pairs:
        if pair.group.startswith("redial/folio/"):
            stories.setdefault(pair.sae.rsplit("\n", 1)[0], set()).add(pair.group)
    assert all(len(groups) == 1 for groups in stories.values())


def test_habitual(folder: Path) -> None:
    found = load_pairs("habitual", folder)
    assert len(found.pairs) == 699
    assert found.dropped == ()
    assert found.pairs[1].id == "habitual/002"
    assert found.pairs[1].aae == "she be cracking"
    assert found.pairs[1].sae == "she's usually cracking"
    assert set(Counter(pair.group for pair in found.pairs).values()) == {3}
    assert {len(pair.aae.split()) for pair in found.pairs} == {3}


def _algorithm(aae: str, sae: str, kind: str = "mbpp") -> str:
    def items(prompt: str) -> list[dict[str, str]]:
        return [{"prompt": prompt, "data_name": kind}]

    return json.dumps({"vanilla": {"original": items(sae), "aave": items(aae)}})


def test_what_is_cut_off_an_item() -> None:
    text = _algorithm(
        "Whip up a sum.\nassert f(1) == 1\nYou gotta do it.",
        "Write a sum.\nassert f(1)  == 1\nDo it.",
    )
    ((where, pair),) = redial.parse(text, "redial/algorithm.json")
    assert (pair.aae, pair.sae) == ("Whip up a sum.", "Write a sum.")
    assert where == "redial/algorithm.json: vanilla 0"
    ((_, pair),) = redial.parse(_algorithm("Same.\nAAE frame", "Same.\nSAE frame"), "x.json")
    assert (pair.aae, pair.sae) == ("Same.", "Same.")
    item = {
        "data_name": "logicbench",
        "prompt": "Do it? Wrap it up in <answer></answer> (e.g., <answer>A</answer>).\nA. It do.",
    }
    assert redial.item_texts(item, item)[0] == "Do it?\nA. It do."


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "{}",
        '{"vanilla": {"original": [{"prompt": "a"}], "aave": []}}',
        '{"vanilla": {"original": [{"prompt": "a"}], "aave": [{"prompt": "b"}]}}',
        '{"vanilla": {"original": [1], "aave": [2]}}',
        _algorithm("a", "b", "another"),
        _algorithm("a", "b", "humaneval"),  # one line, and a frame of two
    ],
)
def test_what_is_no_file_of_redial(text: str) -> None:
    with pytest.raises(SourceError, match=r"redial/x\.json: "):
        redial.parse(text, "redial/x.json")


def test_what_is_no_line_of_habitual() -> None:
    for text in ("he be here\n", "a\tb\tc\n", "\tb\n"):
        with pytest.raises(SourceError, match=r"habitual\.txt:2: expected two texts"):
            habitual.parse(f"he be here\the's usually here\n{text}")


def test_names_and_paths(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="near matches: redial"):
        load_pairs("redail")
    with pytest.raises(InvalidInputError, match="columns are named for files only"):
        load_pairs("redial", columns={"aae": "x"})
    path = tmp_path / "redial.csv"
    path.write_text("n,aae,sae\n1,He be here.,He is usually here.\n")
    assert load_pairs(str(path), columns={"id": "n"}).pairs[0].id == "1"
    assert load_pairs(path, columns={"id": "n"}).licence == ""


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "hofmann").mkdir()
    (tmp_path / "hofmann/habitual.txt").write_text("he be here\the's usually here\n")
    with pytest.raises(SourceError, match="not the pinned version"):
        load_pairs("habitual", tmp_path)


def test_a_folder_and_a_link_to_nothing_are_named(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").mkdir()
    with pytest.raises(InvalidInputError, match="is a folder; name a file"):
        load_pairs(tmp_path / "pairs.jsonl")
    (tmp_path / "loop.jsonl").symlink_to(tmp_path / "loop.jsonl")
    with pytest.raises(InvalidInputError, match="leads to no file"):
        load_pairs(tmp_path / "loop.jsonl")

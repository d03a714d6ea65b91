"""Dialect pairs leave the machine whole and licensed, or without their AAE texts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from sociolect.generators.dialect.build import Segmenter, build
from sociolect.generators.dialect.checks import verify
from sociolect.generators.dialect.folder import read_folder
from sociolect.generators.dialect.manifest import segmented_with
from sociolect.generators.dialect.pair_files import PairFile, pair_file
from sociolect.generators.dialect.pairs import Boundaries, DialectPair, Segmented
from sociolect.generators.dialect.splits import Sizes
from sociolect.generators.dialect.withheld import restore
from sociolect.generators.errors import DataError, InvalidInputError
from sociolect.generators.items import SourceFile
from sociolect.generators.publish import Published, publish

REPO = "org/aae-variants"
FILES = ["README.md", "manifest.json", "pairs/test-00000-of-00001.parquet"]


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A git that knows no user, and no folder of source files."""
    for name in [n for n in os.environ if n.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("SOCIOLECT_SOURCES", raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def file() -> PairFile:
    return file_of(8)


@pytest.fixture
def many() -> PairFile:
    """As many pairs as a folder without AAE texts needs."""
    return file_of(100)


def file_of(n_pairs: int) -> PairFile:
    pairs = [
        DialectPair(f"p{n}", f"He be at {n} all night", f"He is usually at {n} all night")
        for n in range(n_pairs)
    ]
    rated = [
        replace(p, aae_back=f"back {p.id}", naturalness=n / 3) for n, p in enumerate(pairs[:3])
    ]
    located = [(f"m`i|ne.csv:{n}", p) for n, p in enumerate([*rated, *pairs[3:]])]
    located.append(("m`i|ne.csv:9", DialectPair("none", "", "x")))
    return pair_file(located, (SourceFile("m`i|ne.csv", "0" * 64),), "m`i|ne")


def cut(pairs: Any) -> list[Segmented]:
    done = [Segmented(p, Boundaries(p.aae.index(" a"), p.sae.index(" a"))) for p in pairs]
    return [*done[:-1], Segmented(pairs[-1], None, "too | `short`")]


def made(file: PairFile, out: Path, **options: Any) -> Path:
    model = {"name": "some/encoder", "revision": "abc", "files": {"model.safetensors": "1" * 64}}
    settings = {"rho": 0.5, "gamma": 0.3, "layer": None, "encoder": model}
    sizes = Sizes(tracing=1, direction=1, selection=1, evaluation=3)
    chosen = {"sizes": sizes, "segmenter": Segmenter(cut, settings), "licence": "MIT", **options}
    build(file, out, **chosen)
    return out


def release(folder: Path, keep: Path, **options: Any) -> Published:
    return publish(folder, repo=REPO, version="1.0.0", dry_run=True, keep=keep, **options)


def card_of(folder: Path) -> tuple[dict[str, Any], str]:
    _, head, text = (folder / "README.md").read_text("utf-8").split("---\n", 2)
    return yaml.safe_load(head), text


def test_a_release_is_the_folder_with_another_card(file: PairFile, tmp_path: Path) -> None:
    folder = made(file, tmp_path / "pairs")
    done = release(folder, tmp_path / "kept")
    assert list(done.files) == FILES
    assert (done.withheld, done.tag, done.sent) == (False, "v1.0.0", None)
    for name in FILES[1:]:
        assert (tmp_path / "kept" / name).read_bytes() == (folder / name).read_bytes()
    assert verify(tmp_path / "kept").is_sound
    release(folder, tmp_path / "kept")  # an earlier release may be replaced


def test_the_card(file: PairFile, tmp_path: Path) -> None:
    release(made(file, tmp_path / "pairs"), tmp_path / "kept")
    head, text = card_of(tmp_path / "kept")
    assert head["license"] == "mit"
    assert head["size_categories"] == ["n<1K"]
    assert head["configs"][0]["data_files"][0]["path"] == FILES[2]
    assert head["dataset_info"][0]["splits"][0]["num_examples"] == 8
    for line in (
        "# `m'i|ne`: pairs in African American English and Standard American English",
        "| `evaluation` | 3 | everything that is reported |",
        "| none | 2 | nothing |",
        "| `segmented` | 7 |",
        r"| `too \| 'short'` | 1 |",
        "| `rho` | `0.5` |",
        "| `encoder name` | `some/encoder` |",
        "| `the AAE side is empty` | 1 |",
        "export SOCIOLECT_HUB=org@v1.0.0",
        "    --tasks aae_sentiment,aae_continuation,aae_choice_best --output_path results "
        "--log_samples",
        "sociolect eval --model sociolect-hf --model_args pretrained=YOUR_MODEL",
        "--model_args pretrained=YOUR_MODEL,softmax_dtype=float32",
        "sociolect dialect report results --tokenizer YOUR_MODEL",
        "8 pairs of a text in African American English (AAE) and one that is to say the same",
        "1 entry of the source is not here:",
        "Pairs whose back-translation was rated: 3.",
        "half did for 1. Conditional dialect group invariance (cDGI) is reported on the rated "
        "pairs. ## Splits",
    ):
        assert line in " ".join(text.split()) or line in text, line
    assert "| `layer` |" not in text
    assert "model.safetensors" not in text  # the manifest lists the files


def test_cards_say_how_many_continuations_are_unlike(file: PairFile, tmp_path: Path) -> None:
    def uneven(pairs: Any) -> list[Segmented]:
        """Two of six words before the boundary, and five of seven; none of the others is cut."""
        (first, *rest) = pairs
        ends = Boundaries(first.aae.index(" at"), first.sae.index(" all"))
        return [Segmented(first, ends), *(Segmented(p, None, "why") for p in rest)]

    folder = made(file, tmp_path / "pairs", segmenter=Segmenter(uneven, {"rho": 0.5}))
    release(folder, tmp_path / "kept")
    for where in (folder, tmp_path / "kept"):
        text = card_of(where)[1]
        assert "Segmented pairs with unlike continuations: 1 of 1. Cut at shares" in text
        assert "`sociolect dialect segment FILE --unlike` lists them" in text
    release(made(file, tmp_path / "even"), tmp_path / "even-kept")
    assert "--unlike" not in card_of(tmp_path / "even-kept")[1]


def test_cards_name_models_of_folders_by_their_weights(file: PairFile, tmp_path: Path) -> None:
    model = {"name": "model", "revision": "", "files": {"model.safetensors": "53aa5117" * 8}}
    folder = made(file, tmp_path / "pairs", segmenter=Segmenter(cut, {"encoder": model}))
    release(folder, tmp_path / "kept")
    assert "| `encoder name` | `model (53aa5117)` |" in card_of(tmp_path / "kept")[1]
    assert segmented_with(read_folder(folder).manifest) == "encoder model (53aa5117)"


def test_cards_of_redial_say_where_its_sides_differ(file: PairFile, tmp_path: Path) -> None:
    source = SourceFile("redial/logic.json", "0" * 64, "https://example.org/logic.json")
    folder = made(replace(file, name="redial", sources=(source,)), tmp_path / "pairs")
    release(folder, tmp_path / "kept")
    released = " ".join(card_of(tmp_path / "kept")[1].split())
    for text in (" ".join(card_of(folder)[1].split()), released):
        assert "AAE and SAE are 54.8 and 38.1 in `algorithm`" in text
        assert "mix dialect with length" in text
    assert "8 pairs of a text in African American English (AAE) and the prompt that it" in released
    assert "Licence: `MIT`. The pairs are those of ReDial" in released
    release(made(file, tmp_path / "own"), tmp_path / "own-kept")
    assert "54.8" not in card_of(tmp_path / "own")[1] + card_of(tmp_path / "own-kept")[1]


def test_cdgi_is_said_of_what_is_reported(
    file: PairFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sociolect.generators.dialect.release._check_loads", lambda *_: None)

    def text_with(name: str, **options: Any) -> str:
        release(made(file, tmp_path / name, **options), tmp_path / f"{name}-kept")
        return " ".join(card_of(tmp_path / f"{name}-kept")[1].split())

    sizes = Sizes(tracing=0, direction=0, selection=1, evaluation=1)
    some = text_with("some", sizes=sizes)
    assert "(cDGI) is reported on the 1 of them in `evaluation`. ##" in some
    none = text_with("none", sizes=Sizes(tracing=0, direction=0, selection=1, evaluation=0))
    assert "was rated: 3" in none
    assert "cDGI" not in none
    assert "(cDGI) is reported on the rated pairs" in text_with("unsplit", sizes=None)
    file = replace(file, pairs=tuple(replace(p, naturalness=None) for p in file.pairs))
    assert "cDGI" not in text_with("unrated")


@pytest.mark.parametrize(
    "word", ["non-standard", "nonstandard", "broken", "incorrect", "errorful", "slang", "improper"]
)
def test_cards_call_aae_a_variety(file: PairFile, tmp_path: Path, word: str) -> None:
    folder = made(file, tmp_path / "pairs")
    release(folder, tmp_path / "kept")
    for where in (folder, tmp_path / "kept"):
        text = card_of(where)[1]
        assert "AAE is a variety of English" in text
        assert word not in text.lower()


def test_pairs_that_are_not_divided_have_one_kind_of_task(file: PairFile, tmp_path: Path) -> None:
    release(made(file, tmp_path / "pairs", segmenter=None, sizes=None), tmp_path / "kept")
    text = card_of(tmp_path / "kept")[1]
    assert "--tasks aae_sentiment --output_path" in text
    assert "The texts are not divided" in text
    assert "The pairs are in no splits" in text


def test_texts_without_a_licence_stay_here(file: PairFile, tmp_path: Path) -> None:
    folder = made(file, tmp_path / "pairs", licence="")
    with pytest.raises(InvalidInputError, match="--withhold-aae"):
        release(folder, tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_a_release_without_aae(many: PairFile, tmp_path: Path) -> None:
    folder = made(many, tmp_path / "bare", licence="", withheld=True)
    done = release(folder, tmp_path / "kept")
    assert done.withheld
    for name in done.files:
        assert b"He be at" not in (tmp_path / "kept" / name).read_bytes()
    head, text = card_of(tmp_path / "kept")
    assert head["license_name"] == "source-states-none"
    assert "**The AAE texts are not here**" in text
    assert "No licence is stated for the SAE texts, back-translations and ratings" in text
    assert "sociolect dialect restore DIR --pairs FILE --out DIR2" in text
    assert "SOCIOLECT_HUB" not in text
    whole = read_folder(made(many, tmp_path / "whole", licence=""))
    assert restore(read_folder(tmp_path / "kept"), many.pairs) == whole


def test_no_aae_text_is_in_another_column(many: PairFile, tmp_path: Path) -> None:
    telling = {
        0: {"aae_back": "he be at 0, all night!"},
        5: {"aae_back": "He be at 7 all night"},
        6: {"sae": "He be at 6 all night."},
    }
    pairs = [replace(p, **telling.get(n, {})) for n, p in enumerate(many.pairs)]
    file = replace(many, pairs=tuple(replace(p, group=f"@writer{n}") for n, p in enumerate(pairs)))
    folder = made(file, tmp_path / "bare", withheld=True)
    release(folder, tmp_path / "kept")
    for name in FILES:
        content = (tmp_path / "kept" / name).read_bytes().lower()
        assert b"he be at" not in content
        assert b"writer" not in content
    said = read_folder(tmp_path / "kept").manifest["withheld"]
    assert {key: said[key] for key in ("sae", "aae_back", "groups")} == {
        "sae": 1,
        "aae_back": 2,
        "groups": 100,
    }
    text = " ".join(card_of(tmp_path / "kept")[1].split())
    assert "1 SAE text and 2 back-translations" in text
    whole = read_folder(made(file, tmp_path / "whole"))
    assert restore(read_folder(tmp_path / "kept"), file.pairs) == whole


@pytest.mark.parametrize(
    "shown",
    [
        "he b\u200be at 6 all ni\u00adght",
        "He be \u00e4t 6 all n\u00efght",
        "H&#101; be at 6 all nigh't",
    ],
)
@pytest.mark.parametrize("column", ["sae", "aae_back"])
def test_an_aae_text_is_found_by_its_letters(
    many: PairFile, tmp_path: Path, shown: str, column: str
) -> None:
    pairs = tuple(replace(p, **({column: shown} if p.id == "p6" else {})) for p in many.pairs)
    whole = made(replace(many, pairs=pairs), tmp_path / "whole", segmenter=None)
    bare = made(replace(many, pairs=pairs), tmp_path / "bare", segmenter=None, withheld=True)
    built = read_folder(bare)
    assert next(row for row in built.rows if row["id"] == "p6")[column] == ""
    assert sum(not row["sae"] for row in built.rows) == (column == "sae")
    assert restore(built, pairs) == read_folder(whole)


def test_few_texts_could_be_found_by_trying(file: PairFile, tmp_path: Path) -> None:
    folder = made(file, tmp_path / "bare", withheld=True)
    with pytest.raises(InvalidInputError, match=r"8 pairs are too few .* Publish 100 or more"):
        release(folder, tmp_path / "kept")


def test_a_folder_that_nobody_looked_through_stays_here(many: PairFile, tmp_path: Path) -> None:
    folder = made(many, tmp_path / "bare", withheld=True)
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    del manifest["withheld"]
    path.write_text(json.dumps(manifest), "utf-8")
    with pytest.raises(InvalidInputError, match="build it again with --withhold-aae"):
        release(folder, tmp_path / "kept")


@pytest.mark.parametrize("licence", ["MIT\n# mine", "do what you want", "x" * 61])
def test_a_licence_that_is_none_is_not_published(
    file: PairFile, tmp_path: Path, licence: str
) -> None:
    with pytest.raises(InvalidInputError, match="no SPDX identifier"):
        made(file, tmp_path / "other", licence=licence)
    folder = made(file, tmp_path / "pairs")
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**manifest, "licence": licence}), "utf-8")
    with pytest.raises(DataError, match="licence: expected an SPDX identifier"):
        release(folder, tmp_path / "kept")


@pytest.mark.parametrize("version", ["2.0.0", "1.0", "v1.0.0"])
def test_the_version_is_that_of_the_folder(file: PairFile, tmp_path: Path, version: str) -> None:
    folder = made(file, tmp_path / "pairs")
    with pytest.raises(InvalidInputError, match="version"):
        publish(folder, repo=REPO, version=version, dry_run=True)


def test_an_unsound_folder_is_not_published(file: PairFile, tmp_path: Path) -> None:
    folder = made(file, tmp_path / "pairs")
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**manifest, "splits": {"tracing": 8}}), "utf-8")
    with pytest.raises(DataError, match="not sound: pairs: splits"):
        release(folder, tmp_path / "kept")


def test_what_lies_elsewhere_is_safe(file: PairFile, tmp_path: Path) -> None:
    folder = made(file, tmp_path / "pairs")
    with pytest.raises(InvalidInputError, match="is the build"):
        release(folder, folder)
    kept = made(file, tmp_path / "kept")
    (kept / "mine.txt").write_text("x")
    with pytest.raises(InvalidInputError, match="holds what no release put there"):
        release(folder, kept)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_published_to_git_and_read_back(file: PairFile, tmp_path: Path) -> None:
    folder, target = made(file, tmp_path / "pairs"), tmp_path / "served"
    done = publish(folder, repo=REPO, version="1.0.0", to_git=target)
    assert done.sent is not None
    assert done.sent.tagged
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "-b", "v1.0.0", target, clone], check=True)
    shutil.rmtree(clone / ".git")
    assert read_folder(clone) == read_folder(folder)
    text = card_of(clone)[1]
    assert "git clone --branch v1.0.0 REPOSITORY DIR" in text
    assert 'datasets.load_dataset("DIR", "pairs")["test"]' in text
    assert "export SOCIOLECT_AAE=DIR\n" in text
    assert REPO not in text
    assert verify(clone).is_sound
    log = subprocess.run(
        ["git", "-C", target, "log", "--format=%s"], check=True, capture_output=True, text=True
    )
    assert log.stdout == "aae 1.0.0, sociolect 0.1.0\n"

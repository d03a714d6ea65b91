from __future__ import annotations

import json

import pytest

from sociolect.generators.dialect.folder import WITHHELD, read_folder, write_folder
from sociolect.generators.dialect.manifest import assemble, entry_of, unsegmented
from sociolect.generators.errors import DataError, UnknownNameError
from sociolect.tasks.dialect import documents
from sociolect.tasks.dialect.catalogue import TASKS, dialect_task
from sociolect.tasks.dialect.documents import AAE_VARIABLE, clear_memo


def ask(task="aae_sentiment", **options):
    return list(documents.documents(dialect_task(task), **options)["test"])


def test_a_document_is_a_row_and_what_is_asked(three):
    built = read_folder(three)
    doc = ask("aae_choice_likely_prompted")[1]
    assert {name: doc[name] for name in built.rows[0]} == built.rows[0]
    assert {name: doc[name] for name in doc if name not in built.rows[0]} == {
        "benchmark": "aae",
        "kind": "choice",
        "form": "ll",
        "prompted": True,
        "wording": "likely",
        "version": "",
        "context": "aae",
        "order": 1,
        "answer_mode": "lenient",
        "data_version": built.manifest["data_version"],
        "data_sha256": built.manifest["configs"]["pairs"]["sha256"],
        "segmented_with": "",
        "rules": "",
        "local_data": True,
        "task_format": 1,
    }


def test_documents_name_the_models_that_found_the_boundaries(tmp_path, monkeypatch, pair, segment):
    models = {
        "encoder": {"name": "org/mini", "revision": "abc", "files": {}},
        "aligner": {"name": "bert", "revision": "", "files": {}},
    }
    built = assemble([segment(pair(0))], name="made up", segmentation=models)
    write_folder(built, tmp_path / "pairs")
    monkeypatch.setenv(AAE_VARIABLE, str(tmp_path / "pairs"))
    said = "encoder org/mini at abc, aligner bert"
    assert {doc["segmented_with"] for doc in ask("aae_continuation")} == {said}
    assert {doc["segmented_with"] for doc in ask("aae_sentiment")} == {""}


def test_texts_are_asked_in_every_version_there_is(three):
    slots = [(doc["id"], doc["version"]) for doc in ask()]
    versions = {"p0": ("aae", "sae", "back"), "p1": ("aae", "sae"), "p2": ("aae", "sae", "back")}
    assert slots == [(pair, version) for pair, all_ in versions.items() for version in all_]


def test_contexts_and_orders(three):
    asked = [(doc["id"], doc["context"], doc["order"]) for doc in ask("aae_continuation")[:4]]
    assert asked == [("p0", "aae", 0), ("p0", "sae", 0), ("p1", "aae", 0), ("p1", "sae", 0)]
    asked = [(doc["context"], doc["order"]) for doc in ask("aae_choice_best")]
    assert asked == [("aae", 0), ("aae", 1), ("sae", 0), ("sae", 1)] * 3


def test_pairs_are_those_of_the_evaluation_split(pairs_at, segment, pair):
    splits = ("evaluation", "direction", "selection", "evaluation")
    pairs_at(segment(pair(n, split=split)) for n, split in enumerate(splits))
    ids = lambda **options: list(dict.fromkeys(doc["id"] for doc in ask(**options)))  # noqa: E731
    assert ids() == ids(split="evaluation") == ["p0", "p3"]
    assert ids(split="selection") == ["p2"]
    assert ids(split="all") == ["p0", "p1", "p2", "p3"]
    with pytest.raises(DataError, match=r"no pair of split 'tracing'.*direction 1, evaluation 2"):
        ask(split="tracing")
    with pytest.raises(UnknownNameError, match="unknown split 'test'"):
        ask(split="test")


def test_pairs_in_no_split_are_all_asked(three):
    assert {doc["id"] for doc in ask()} == {"p0", "p1", "p2"}
    with pytest.raises(DataError, match=r"'evaluation' \(pairs by split: in none 3\).*\"all\""):
        ask(split="evaluation")


def test_pairs_without_boundaries_are_counted(pairs_at, segment, pair, capsys):
    reasons = ("", "no aligned word", "", "too short", "no aligned word")
    pairs_at(segment(pair(n), reason) for n, reason in enumerate(reasons))
    assert {doc["id"] for doc in ask("aae_continuation")} == {"p0", "p2"}
    ask("aae_choice_best")
    said = "3 of 5 pairs are not segmented: no aligned word 2; too short 1"
    assert capsys.readouterr().err == f"sociolect: aae: {said}\n", "once, whatever is asked"
    assert len({doc["id"] for doc in ask()}) == 5, "a sentiment needs no boundary"


def test_nothing_segmented_is_an_error(pairs_at, pair):
    pairs_at(unsegmented([pair(0), pair(1)]))
    with pytest.raises(DataError, match=r"2 of 2 pairs are not segmented: not segmented 2. Build"):
        ask("aae_continuation")


def test_equal_continuations_are_no_choice(pairs_at, segment, pair, capsys):
    same = pair(1, aae="We finna leave but it rains", sae="We are about to leave but it rains")
    pairs_at([segment(pair(0)), segment(same)])
    assert {doc["id"] for doc in ask("aae_choice_best")} == {"p0"}
    assert "1 of 2 pairs have the same continuation" in capsys.readouterr().err
    assert len(ask("aae_continuation")) == 4
    said = capsys.readouterr().err
    assert "1 of 2 pairs have the same continuation in both varieties: whatever the model" in said


def test_only_equal_continuations_are_an_error(pairs_at, segment, pair):
    same = pair(1, aae="We finna leave but it rains", sae="We are about to leave but it rains")
    pairs_at([segment(same)])
    with pytest.raises(DataError, match="in every pair both continuations are the same"):
        ask("aae_choice_best")


def test_without_pairs_it_is_said_how_to_get_them():
    with pytest.raises(DataError, match=r"sociolect dialect build PAIRS .*SOCIOLECT_AAE=DIR"):
        ask()


def test_pairs_among_the_data_of_all_benchmarks(pairs_at, segment, pair, tmp_path, monkeypatch):
    pairs_at([segment(pair(0))], name="aae-variants", variable="NOBODY_READS_THIS")
    monkeypatch.setenv("SOCIOLECT_DATA", str(tmp_path))
    assert {doc["id"] for doc in ask()} == {"p0"}
    pairs_at([segment(pair(1))], name="own")
    assert {doc["id"] for doc in ask()} == {"p1"}, f"{AAE_VARIABLE} goes first"
    monkeypatch.delenv(AAE_VARIABLE)
    monkeypatch.setenv("SOCIOLECT_DATA", str(tmp_path / "own" / "pairs"))
    with pytest.raises(DataError, match=r"has no manifest.json.*sociolect dialect build"):
        ask()


def test_pairs_on_the_hub(pairs_at, segment, pair, monkeypatch):
    folder = pairs_at([segment(pair(0))], variable="NOBODY_READS_THIS")
    asked = []

    def download(repository, **options):
        asked.append((repository, options["revision"], options["allow_patterns"]))
        return str(folder)

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    monkeypatch.setenv("SOCIOLECT_HUB", "lab@v2")
    assert {doc["id"] for doc in ask()} == {"p0"}
    assert asked == [("lab/aae-variants", "v2", ["manifest.json", "README.md", "pairs/*"])]


def test_pairs_without_their_aae_texts_are_refused(three, monkeypatch):
    import pyarrow as pa
    from pyarrow import parquet

    built = read_folder(three)
    rows = [{**row, "aae": ""} for row in built.rows]
    manifest = {**built.manifest, "text": WITHHELD, "configs": {"pairs": entry_of(rows)}}
    (three / "manifest.json").write_text(json.dumps(manifest))
    path = three / "pairs" / "test-00000-of-00001.parquet"
    parquet.write_table(pa.Table.from_pylist(rows, schema=parquet.read_schema(path)), path)
    clear_memo()
    with pytest.raises(
        DataError, match=r"without the AAE texts.*sociolect dialect restore .* SOCIOLECT_AAE=DIR"
    ):
        ask()


def test_damaged_pairs_are_refused(three):
    manifest = json.loads((three / "manifest.json").read_text())
    manifest["configs"]["pairs"]["rows"] = 4
    (three / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(DataError, match=r"holds 3 pairs, its manifest.json says 4"):
        ask()


def test_documents_are_read_once(three):
    first = documents.documents(TASKS[0])
    (three / "manifest.json").unlink()
    assert documents.documents(TASKS[0]) is first
    assert len(ask("aae_continuation")) == 6
    clear_memo()
    with pytest.raises(DataError):
        documents.documents(TASKS[0])


def test_an_unknown_answer_mode(three):
    with pytest.raises(UnknownNameError, match="answer mode"):
        ask(answer_mode="strictly")

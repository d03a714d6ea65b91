from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import huggingface_hub
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from huggingface_hub.errors import LocalEntryNotFoundError

from sociolect.generators import build as generators_build
from sociolect.generators.conditions import OWN_ITEMS, Condition
from sociolect.generators.errors import (
    DataError,
    InvalidInputError,
    LevelUnreachableError,
    SourceError,
    UnknownNameError,
)
from sociolect.generators.rows import config_sha256
from sociolect.tasks import cells, checked, data, data_hashes, locate, prompts

L2_30 = Condition("l2", 30)


def read(folder, condition=L2_30, benchmark="winobias", **kwargs):
    return checked.read_config(folder, benchmark, condition, **kwargs)


def test_documents_keep_pairs_together_in_both_orders(build_folder):
    build_folder("winobias", [L2_30])
    docs = data.documents("winobias", "l2-30", "reason")["test"]
    assert len(docs) == 12
    assert [(d["pair_id"][-1], d["member"], d["order"]) for d in docs.select(range(5))] == [
        ("1", "pro", 0),
        ("1", "pro", 1),
        ("1", "anti", 0),
        ("1", "anti", 1),
        ("2", "pro", 0),
    ]
    members = [(d["member"], d["order"]) for d in data.documents("winobias", "l2-30", "ll")["test"]]
    assert members == [("pro", 0), ("anti", 0)] * 3


@pytest.mark.parametrize(
    ("benchmark", "form", "count"),
    [
        ("winobias", "reason", 4),
        ("occupations_mini", "ll", 2),
        ("bbq_race", "direct", 2),
        ("degen_religion", "ll", 1),
        ("bbq_gender_disambig", "reason", 2),
        ("winogrande", "reason", 2),
        ("mmlu", "reason", 1),
        ("mmlu", "ll", 1),
        ("fable_control", "reason", 1),
        ("fable", "ll", 1),
    ],
)
def test_the_documents_of_a_unit_stand_together(build_folder, benchmark, form, count):
    build_folder(benchmark, name=benchmark)
    docs = data.documents(benchmark, "clean", form)["test"]
    assert data.unit_documents(benchmark, form) == count
    assert len(docs) == 3 * count
    for start in range(0, len(docs), count):
        unit = docs.select(range(start, start + count))
        assert len(set(unit["pair_id"])) == 1
        assert len({(doc["member"], doc["order"]) for doc in unit}) == count
        assert {doc["order"] for doc in unit} == set(prompts.orders(form, benchmark))


def test_a_document_says_what_it_is(build_folder):
    folder = build_folder("winobias", [L2_30])
    doc = data.documents("winobias", "l2-30", "direct", answer_mode="strict")["test"][0]
    expected = json.loads((folder / "manifest.json").read_text())["configs"]["l2-30"]["sha256"]
    assert doc["data_sha256"] == expected
    assert (doc["form"], doc["answer_mode"], doc["data_version"]) == ("direct", "strict", "1.0.0")
    assert (doc["local_data"], doc["task_format"]) == (True, 1)
    assert (doc["transform"], doc["level"], doc["options"]) == ("l2", 30, ["carpenter", "teacher"])


def test_a_document_names_the_rules_of_its_errors(build_folder):
    build_folder("winobias", [L2_30], rules="careful")
    for config in ("clean", "l2-30"):
        rules = set(data.documents("winobias", config, "ll")["test"]["rules"])
        assert rules == {"careful"}


@pytest.mark.parametrize("rules", [None, "strict", ["paper"]])
def test_unknown_rules_are_refused(make_build, tmp_path, rules):
    folder = make_build(tmp_path / "b", rules=rules)
    with pytest.raises(DataError, match=r"manifest\.json.*: rules is "):
        read(folder, Condition())


def change_manifest(folder: Path, **entries: object) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | entries))


@pytest.mark.parametrize(
    "entries",
    [
        {"configs": None},
        {"configs": []},
        {"unreachable": []},
        {"toolchain": None},
        {"data_version": None},
        {"seed": None},
        {"configs": {"clean": {}}},
        {"configs": {"clean": "all"}},
        {"configs": {"clean": {"rows": 6, "sha256": None}}},
        {"configs": {"clean": {"rows": True, "sha256": "ab"}}},
    ],
)
def test_a_manifest_of_another_form_is_refused(make_build, tmp_path, entries):
    folder = make_build(tmp_path / "b", "winobias", [L2_30])
    change_manifest(folder, **entries)
    with pytest.raises(DataError, match=r"manifest\.json.* again"):
        read(folder, Condition())


def test_a_manifest_that_cannot_be_opened(make_build, tmp_path, monkeypatch):
    folder = make_build(tmp_path / "b")

    def closed(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", closed)
    with pytest.raises(DataError, match=r"manifest\.json cannot be read \(Permission denied\)"):
        read(folder, Condition())


def write_rows(folder: Path, rows: list[dict], table_schema: pa.Schema | None = None) -> None:
    """Put rows of any form into `clean`, with the hash that they have."""
    path = folder / "clean/test-00000-of-00001.parquet"
    pq.write_table(pa.Table.from_pylist(rows, schema=table_schema), path)
    entry = {"rows": len(rows), "sha256": config_sha256(rows)}
    change_manifest(folder, configs={"clean": entry})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"options": "carpenter"}, "list"),
        ({"gold": "first"}, "first"),
        ({"pair_id": None}, "empty cells in pair_id"),
        ({"colour": "red"}, "unknown column colour"),
    ],
)
def test_rows_of_another_schema_are_refused(make_build, tmp_path, change, message):
    folder = make_build(tmp_path / "b")
    rows = [dict(row) | change for row in read(folder, Condition()).rows]
    write_rows(folder, rows)
    with pytest.raises(DataError, match=rf"does not have the columns .*{message}"):
        read(folder, Condition())


def test_rows_without_a_column_are_refused(make_build, tmp_path):
    folder = make_build(tmp_path / "b")
    rows = [dict(row) for row in read(folder, Condition()).rows]
    for row in rows:
        del row["options"], row["transform"]
    write_rows(folder, rows)
    with pytest.raises(DataError, match="no column options, transform"):
        read(folder, Condition())


@pytest.mark.parametrize("name", ["missing", "a file", "x" * 300])
def test_data_that_are_no_folder(tmp_path, monkeypatch, name):
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("SOCIOLECT_DATA", str(tmp_path / name))
    with pytest.raises(DataError, match=r"SOCIOLECT_DATA is .* (no folder|cannot be read)"):
        data.documents("winobias", "clean", "ll")


def test_a_folder_of_one_benchmark_will_do(make_build, tmp_path, monkeypatch):
    folder = make_build(tmp_path / "mine")
    monkeypatch.setenv("SOCIOLECT_DATA", str(folder))
    assert len(data.documents("winobias", "clean", "ll")["test"]) == 6


def test_a_folder_named_like_the_dataset_will_do(build_folder):
    build_folder("winobias", name="winobias-variants")
    assert len(data.documents("winobias", "clean", "ll")["test"]) == 6


def test_a_folder_without_the_benchmark_names_what_it_has(build_folder):
    build_folder("winobias")
    with pytest.raises(DataError, match=r"occupations_mini.*builds there: winobias"):
        data.documents("occupations_mini", "clean", "ll")


def test_memo_and_environment(make_build, tmp_path, monkeypatch):
    monkeypatch.setenv("SOCIOLECT_DATA", str(make_build(tmp_path / "one")))
    first = data.documents("winobias", "clean", "ll")
    assert data.documents("winobias", "clean", "ll") is first
    monkeypatch.setenv("SOCIOLECT_DATA", str(make_build(tmp_path / "two", pairs=5)))
    assert len(data.documents("winobias", "clean", "ll")["test"]) == 10


def test_unknown_names_are_refused(build_folder):
    build_folder("winobias")
    for arguments in (
        ("winobais", "clean", "ll"),
        ("winobias", "l2-31", "ll"),
        ("winobias", "clean", "essay"),
    ):
        with pytest.raises(UnknownNameError):
            data.documents(*arguments)
    with pytest.raises(UnknownNameError, match="lenient"):
        data.documents("winobias", "clean", "ll", answer_mode="loose")


def test_a_missing_config_names_those_that_exist(make_build, tmp_path):
    folder = make_build(tmp_path / "b", "winobias", [Condition("l2", 5)])
    with pytest.raises(DataError, match="no config 'l2-30'; it holds: clean, l2-5"):
        read(folder)


def test_a_config_above_its_ceiling_says_so(make_build, tmp_path):
    reason = {"l2det-30": "l2det reaches 24.3 %, not 30 %"}
    folder = make_build(tmp_path / "b", unreachable=reason)
    with pytest.raises(LevelUnreachableError, match=r"24\.3 %"):
        read(folder, Condition("l2det", 30))


def test_another_benchmark_seed_or_version_is_refused(make_build, tmp_path):
    folder = make_build(tmp_path / "b", "winobias", [L2_30])
    with pytest.raises(DataError, match="holds benchmark winobias, the task asks for occupations"):
        read(folder, benchmark="occupations_mini")
    with pytest.raises(DataError, match="holds seed 0, the task asks for 1"):
        read(folder, seed=1)
    with pytest.raises(DataError, match=r"holds data version 1\.0\.0, the task asks for 2\.0\.0"):
        read(folder, version="2.0.0")
    assert read(folder, version="1.0.0").version == "1.0.0"


def test_clean_text_has_no_error_seed(make_build, tmp_path):
    assert len(read(make_build(tmp_path / "b"), Condition(), seed=3).rows) == 6


def test_rows_of_another_seed_than_the_manifest_are_refused(make_build, tmp_path):
    folder = make_build(tmp_path / "b", "winobias", [L2_30])
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"seed": 4}))
    with pytest.raises(DataError, match=r"seeds other than 4: \[0\]"):
        read(folder, seed=4)


def test_swapped_configs_are_refused(make_build, tmp_path):
    l2_5 = Condition("l2", 5)
    folder = make_build(tmp_path / "b", "winobias", [L2_30, l2_5])
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["configs"]["l2-30"] = manifest["configs"]["l2-5"]
    path.write_text(json.dumps(manifest))
    shutil.rmtree(folder / "l2-30")
    shutil.copytree(folder / "l2-5", folder / "l2-30")
    with pytest.raises(DataError, match="does not hold what its manifest says"):
        read(folder)


def test_changed_rows_are_refused(make_build, tmp_path):
    folder = make_build(tmp_path / "b", "winobias", [L2_30])
    shutil.copy(folder / "clean/test-00000-of-00001.parquet", folder / "l2-30")
    with pytest.raises(DataError, match="l2-30 is damaged: 6 rows"):
        read(folder)


def test_a_truncated_file_is_refused(make_build, tmp_path):
    folder = make_build(tmp_path / "b")
    shard = folder / "clean/test-00000-of-00001.parquet"
    shard.write_bytes(shard.read_bytes()[:-100])
    with pytest.raises(DataError, match="cannot be read"):
        read(folder, Condition())


def test_a_missing_file_or_manifest_is_refused(make_build, tmp_path):
    folder = make_build(tmp_path / "b")
    (folder / "clean/test-00000-of-00001.parquet").unlink()
    with pytest.raises(DataError, match="incomplete"):
        read(folder, Condition())
    (folder / "manifest.json").unlink()
    with pytest.raises(DataError, match=r"no manifest\.json"):
        read(folder, Condition())


@pytest.fixture
def hashes(tmp_path, monkeypatch):
    path = tmp_path / "hashes.json"
    monkeypatch.setattr(data_hashes, "HASHES", path)
    path.write_text("{}")
    return path


def record(folder: Path, path: Path) -> None:
    data_hashes.record([folder], path)
    data_hashes.published.cache_clear()


def test_published_data_are_recognised_without_a_word(make_build, tmp_path, hashes, capsys):
    folder = make_build(tmp_path / "b", "winobias", [L2_30])
    assert "no published hash" in read(folder).unpublished
    record(folder, hashes)
    assert read(folder).unpublished == ""
    assert read(folder, Condition()).unpublished == ""
    assert capsys.readouterr().err == ""


def test_other_data_are_marked_with_one_line(make_build, tmp_path, hashes, capsys, monkeypatch):
    record(make_build(tmp_path / "published", "winobias", [L2_30]), hashes)
    mine = make_build(tmp_path / "mine", "winobias", [L2_30], pairs=4)
    monkeypatch.setenv("SOCIOLECT_DATA", str(mine))
    for form in ("reason", "direct", "ll"):
        assert data.documents("winobias", "l2-30", form)["test"][0]["local_data"] is True
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "sociolect: winobias l2-30: local data (built with other tools than the published data: "
        "sources)"
    ]


def test_noise_can_be_recorded_without_the_rest(make_build, tmp_path, hashes):
    typo = Condition("typo", 30)
    record(make_build(tmp_path / "errors", "winobias", [L2_30]), hashes)
    noise = make_build(tmp_path / "noise", "winobias", [typo])
    record(noise, hashes)
    assert set(data_hashes.published()["winobias"]["configs"]) == {"clean", "l2-30", "typo-30"}
    assert read(noise, typo).unpublished == ""
    other = make_build(tmp_path / "other", "winobias", [typo], toolchain={"spacy": "9"})
    record(other, hashes)
    assert set(data_hashes.published()["winobias"]["configs"]) == {"clean", "typo-30"}


def test_noise_that_is_drawn_otherwise_is_local(make_build, tmp_path, hashes):
    typo = Condition("typo", 30)
    record(make_build(tmp_path / "published", "winobias", [typo, L2_30]), hashes)
    conditions = {"conditions": [typo, L2_30], "pairs": 4, "noise_draws": "shared"}
    folder = make_build(tmp_path / "shared", "winobias", **conditions)
    said = read(folder, typo).unpublished
    assert said == "built with noise draws shared, published with independent"
    assert "noise" not in read(folder).unpublished
    with pytest.raises(DataError, match="drawn independent, that of winobias is shared"):
        data_hashes.record([folder], tmp_path / "other.json")


def test_why_data_are_local(make_build, tmp_path, hashes):
    record(make_build(tmp_path / "published", "winobias", [L2_30]), hashes)
    seed = make_build(tmp_path / "seed", "winobias", [L2_30], seed=1)
    assert read(seed, seed=1).unpublished == "built with seed 1, published with 0"
    careful = make_build(tmp_path / "careful", "winobias", [L2_30], pairs=4, rules="careful")
    assert read(careful).unpublished == "built with rules careful, published with paper"
    newer = make_build(tmp_path / "newer", "winobias", [L2_30], pairs=4, data_version="1.1.0")
    assert read(newer).unpublished == "no published hash for version 1.1.0"


def test_other_tools_are_named_with_both_versions():
    published = {"spacy": "3.8.18", "model": "a", "dictionary_sha256": "ab" * 32}
    built = {"spacy": "3.8.19", "model": "b", "dictionary_sha256": "ab" * 32}
    assert data_hashes.other_tools(published, built) == ["spacy 3.8.19 (published: 3.8.18)"]
    assert data_hashes.other_tools(published, dict(published)) == []
    assert len(data_hashes.other_tools(published, {})) == 2


def test_recording_keeps_other_benchmarks_and_refuses_other_seeds(make_build, tmp_path, hashes):
    record(make_build(tmp_path / "w"), hashes)
    record(make_build(tmp_path / "o", "occupations_mini"), hashes)
    assert set(json.loads(hashes.read_text())) == {"winobias", "occupations_mini"}
    with pytest.raises(DataError, match="seed"):
        record(make_build(tmp_path / "s", seed=1), hashes)


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ("acme", ("acme/winobias-variants", "v1.0.0")),
        ("acme@main", ("acme/winobias-variants", "main")),
        ("acme/data", ("acme/data", "v1.0.0")),
        ("acme/data@abc123", ("acme/data", "abc123")),
        ("acme/data@refs/pr/1", ("acme/data", "refs/pr/1")),
    ],
)
def test_hub_names(named, expected):
    assert locate.hub_repository(named, "winobias", "1.0.0") == expected


@pytest.mark.parametrize("named", ["a/b/c", "@main", "acme@", "acme/", "a b"])
def test_bad_hub_names(named):
    with pytest.raises(InvalidInputError, match="SOCIOLECT_HUB"):
        locate.hub_repository(named, "winobias", "1.0.0")


def test_data_from_the_hub(make_build, tmp_path, monkeypatch):
    folder = make_build(tmp_path / "snapshot", "winobias", [L2_30])
    calls = []

    def snapshot(repository, **kwargs):
        calls.append((repository, kwargs))
        return str(folder)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot)
    monkeypatch.setenv("SOCIOLECT_HUB", "acme")
    docs = data.documents("winobias", "l2-30", "ll", version="1.0.0")
    assert len(docs["test"]) == 6
    assert calls == [
        (
            "acme/winobias-variants",
            {
                "repo_type": "dataset",
                "revision": "v1.0.0",
                "allow_patterns": ["manifest.json", "README.md", "l2-30/*"],
            },
        )
    ]
    with pytest.raises(DataError, match="SOCIOLECT_HUB at data with it"):
        data.documents("winobias", "l2-30", "ll", seed=1)


def test_a_local_folder_goes_before_the_hub(build_folder, monkeypatch):
    build_folder("winobias")
    monkeypatch.setenv("SOCIOLECT_HUB", "acme")
    monkeypatch.setattr(huggingface_hub, "snapshot_download", None)
    assert data.documents("winobias", "clean", "ll")


def test_nothing_on_the_hub(monkeypatch):
    def snapshot(*args, **kwargs):
        raise LocalEntryNotFoundError("no network")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot)
    monkeypatch.setenv("SOCIOLECT_HUB", "acme")
    with pytest.raises(DataError, match=r"acme/winobias-variants at v1\.0\.0 .*no network"):
        data.documents("winobias", "clean", "ll", version="1.0.0")


@pytest.fixture
def builder(make_build, monkeypatch):
    """A stand-in for the generators that counts its calls."""
    calls = []

    def build(benchmark, conditions, *, out, seed, progress):
        calls.append((benchmark, [c.config_name for c in conditions], seed))
        make_build(out, benchmark, conditions, seed=seed)

    monkeypatch.setattr(generators_build, "build", build)
    return calls


def test_missing_data_are_built_once(builder, capsys, tmp_path):
    first = data.documents("winobias", "l2-30", "ll", version="1.0.0")
    assert len(first["test"]) == 6
    data.clear_memo()
    data.documents("winobias", "l2-30", "reason")
    data.documents("winobias", "l2-30", "direct", seed=2)
    assert builder == [("winobias", ["l2-30"], 0), ("winobias", ["l2-30"], 2)]
    said = capsys.readouterr().err
    assert said.count("building winobias l2-30 once into ") == 1
    assert "building winobias l2-30 with seed 2 once into " in said
    home = tmp_path / "cache/sociolect/data"
    assert {p.parent.name for p in home.glob("*/l2-30")} == {
        f"winobias-1.0.0-{algorithm()}-seed{seed}" for seed in (0, 2)
    }


def algorithm() -> str:
    from sociolect.generators.uniform import ALGORITHM_VERSION

    return ALGORITHM_VERSION


@pytest.mark.parametrize("lost", ["manifest.json", "l2-30/test-00000-of-00001.parquet", "all"])
def test_an_incomplete_build_of_the_cache_is_made_again(builder, capsys, lost):
    data.documents("winobias", "l2-30", "ll")
    folder = locate.cache_folder("winobias", L2_30, 0)
    for path in list(folder.rglob("*.*")) if lost == "all" else [folder / lost]:
        path.unlink()
    data.clear_memo()
    assert len(data.documents("winobias", "l2-30", "ll")["test"]) == 6
    assert len(builder) == 2
    assert f"{folder} is incomplete and will be built again" in capsys.readouterr().err


def test_an_empty_folder_of_the_cache_is_filled(builder):
    locate.cache_folder("winobias", L2_30, 0).mkdir(parents=True)
    assert len(data.documents("winobias", "l2-30", "ll")["test"]) == 6


@pytest.mark.parametrize("damaged", ["manifest.json", "l2-30/test-00000-of-00001.parquet"])
def test_what_is_damaged_in_the_cache_names_the_folder_to_delete(builder, damaged):
    data.documents("winobias", "l2-30", "ll")
    folder = locate.cache_folder("winobias", L2_30, 0)
    (folder / damaged).write_bytes(b"{")
    data.clear_memo()
    with pytest.raises(DataError, match=r"Delete .*l2-30: it will be built again") as caught:
        data.documents("winobias", "l2-30", "ll")
    assert f"Delete {folder}:" in str(caught.value)


def test_damage_outside_the_cache_is_not_ours_to_delete(build_folder):
    (build_folder("winobias") / "manifest.json").write_text("{")
    with pytest.raises(DataError) as caught:
        data.documents("winobias", "clean", "ll")
    assert "Delete" not in str(caught.value)


def test_a_cache_that_cannot_be_written(builder, tmp_path):
    (tmp_path / "cache").write_text("")
    with pytest.raises(DataError, match=r"cannot keep winobias l2-30 in the cache, .*XDG_CACHE"):
        data.documents("winobias", "l2-30", "ll")


def test_a_file_in_the_place_of_a_cached_build(tmp_path, make_build):
    folder = locate.cache_folder("winobias", L2_30, 0)
    folder.parent.mkdir(parents=True)
    folder.write_text("")
    with pytest.raises(DataError, match=r"l2-30 is a file; delete it"):
        data.documents("winobias", "l2-30", "ll")


@pytest.mark.parametrize(("number", "message"), [(28, "No space left"), (30, "Read-only file")])
def test_a_full_or_read_only_disk(monkeypatch, number, message):
    def build(*args, **kwargs):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(generators_build, "build", build)
    with pytest.raises(DataError, match=rf"cannot keep .*\({message}.* make room"):
        data.documents("winobias", "l2-30", "ll")


def test_a_failed_build_leaves_no_folder(monkeypatch):
    def build(*args, **kwargs):
        raise LevelUnreachableError("reaches 24 %")

    monkeypatch.setattr(generators_build, "build", build)
    with pytest.raises(LevelUnreachableError):
        data.documents("winobias", "l2-30", "ll")
    assert not locate.cache_folder("winobias", L2_30, 0).exists()


def test_data_of_another_version_are_not_built(builder):
    with pytest.raises(DataError, match=r"asks for winobias data 9\.0\.0, this version"):
        data.documents("winobias", "clean", "ll", version="9.0.0")
    assert builder == []


ITEM = {
    "id": "01",
    "category": "age",
    "question_id": "age-1",
    "question": "Who was late?",
    "options": ["Emma", "Walter"],
    "response": "It was Walter who came late to the meeting.",
    "label": "B",
}


@pytest.fixture
def own_items(tmp_path, monkeypatch):
    """A file of judge items, which a call replaces."""
    path = tmp_path / "items.jsonl"
    monkeypatch.setenv("SOCIOLECT_FABLE", str(path))

    def write(**changes):
        path.write_text(json.dumps(ITEM | changes) + "\n")
        return path

    write()
    return write


def test_noise_has_columns_of_its_own(build_folder):
    typo = Condition("typo", 30)
    build_folder("winobias", [typo, L2_30])
    doc = data.documents("winobias", "typo-30", "reason")["test"][0]
    assert {"token_change", "char_distance", "length_ratio"} <= set(doc)
    assert "error_rate" not in doc
    assert "error_rate" in data.documents("winobias", "l2-30", "reason")["test"][0]


def test_noise_rows_without_their_columns_are_refused(make_build, tmp_path):
    typo = Condition("typo", 30)
    folder = make_build(tmp_path / "b", "winobias", [typo, L2_30])
    shutil.copy(folder / "l2-30/test-00000-of-00001.parquet", folder / "typo-30")
    with pytest.raises(DataError, match="no column token_change"):
        read(folder, typo)


def test_judges_are_not_asked_directly(build_folder):
    build_folder("fable_control", name="fable_control")
    with pytest.raises(UnknownNameError, match="reason, ll"):
        data.documents("fable_control", "clean", "direct")


def test_judge_items_of_ones_own_are_local_data(own_items, capsys):
    docs = data.documents("fable", "clean", "reason")["test"]
    assert (docs["id"], docs["gold"]) == (["fable/age/age-1/01"], [1])
    assert docs[0]["options"] == ["Emma", "Walter", "neither"]
    assert docs[0]["local_data"] is True
    assert "fable clean: local data (judge items of your own)" in capsys.readouterr().err


def test_changed_judge_items_are_built_again(own_items):
    folder = locate.cache_folder("fable", Condition(), 0)
    first = data.documents("fable", "clean", "reason")["test"]
    assert data.documents("fable", "clean", "reason")["test"] is first
    own_items(response="Neither of them was late, as far as I know.", label="NONE")
    second = data.documents("fable", "clean", "reason")["test"]
    assert (first["gold"], second["gold"]) == ([1], [2])
    assert first["data_sha256"] != second["data_sha256"]
    assert folder.is_dir()
    assert locate.cache_folder("fable", Condition(), 0) != folder
    own_items()
    assert locate.cache_folder("fable", Condition(), 0) == folder


def test_only_items_of_ones_own_are_told_apart(own_items):
    assert {name for name in cells.benchmarks() if locate.items_key(name)} == set(OWN_ITEMS)
    key = locate.items_key("fable_labels")
    assert key
    assert key == locate.items_key("fable")
    assert locate.items_key("fable_control") == locate.items_key("winobias") == ""


def test_missing_judge_items_say_how_to_get_some(monkeypatch):
    with pytest.raises(SourceError, match="sociolect fable generate"):
        data.documents("fable", "clean", "reason")


def test_a_build_of_judge_items_needs_no_file_of_them(build_folder):
    build_folder("fable", name="fable")
    assert len(data.documents("fable", "clean", "ll")["test"]) == 3

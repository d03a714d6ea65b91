from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from translator import TRIPLETS, TranslatorLM, texts_file, translated

from sociolect.generators.dialect.corpus_filter import filter_file
from sociolect.generators.dialect.pair_files import read_pairs, write_pairs
from sociolect.generators.dialect.pairs import DialectPair
from sociolect.generators.errors import DataError, InvalidInputError, ModelError, SourceError
from sociolect.harness.dialect import translate as module
from sociolect.harness.dialect.translate import _batches, translate
from sociolect.harness.dialect.translate_files import read_texts
from sociolect.harness.dialect.translate_settings import Settings
from sociolect.harness.fable import models
from sociolect.harness.fable.files import sha256_of

Run = Callable[..., tuple[dict[str, Any], bool]]


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "pairs.jsonl"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, out: Path) -> Run:
    source = read_texts(texts_file(tmp_path))

    def running(model: TranslatorLM, **given: Any) -> Any:
        monkeypatch.setattr(models, "create_model", lambda name, given: model)
        report = given.pop("report", lambda manifest: None)
        chosen = models.ModelChoice("dummy", {"model": "M"}, given.pop("chat", False), 0)
        return translate(source, chosen, Settings(**given), out, report=report)

    return running


def late(prompt: str, doc: dict[str, Any], settings: dict[str, Any]) -> str:
    """Good at the second attempt only where the id is odd."""
    odd = int(doc["id"][1:]) % 2
    return translated(prompt) if doc["order"] >= 2 * odd else f"Translation: {translated(prompt)}"


def test_triplets_and_a_manifest(run: Run, out: Path) -> None:
    manifest, fresh = run(TranslatorLM())
    assert fresh
    pairs = read_pairs(out).pairs
    assert [(p.aae, p.sae, p.aae_back) for p in pairs] == list(TRIPLETS)
    assert [p.id for p in pairs] == [f"t{n}" for n in range(6)]
    note = out.with_suffix(".manifest.json").read_text()
    assert json.loads(note) == manifest
    assert manifest["sha256"] == sha256_of(out)
    assert (manifest["texts"], manifest["pairs"], manifest["complete"]) == (6, 6, True)
    assert manifest["settings"]["model"]["model"]["arguments"] == {"model": "M"}
    assert not any(text in note for triplet in TRIPLETS for text in triplet)
    assert not out.with_name("pairs.jsonl.unfinished").exists()


def test_authors_reach_the_pairs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tweets, texts, out = (tmp_path / name for name in ("t.csv", "texts.jsonl", "pairs.jsonl"))
    lines = [f"{n},{aae},ann{n % 2}" for n, (aae, _, _) in enumerate(TRIPLETS)]
    tweets.write_text("\n".join(["id,text,author", *lines]))
    filter_file(tweets, texts, group_column="author", min_words=5)
    monkeypatch.setattr(models, "create_model", lambda name, given: TranslatorLM())
    chosen = models.ModelChoice("dummy", {}, False, 0)
    translate(read_texts(texts), chosen, Settings(), out)
    assert [pair.group for pair in read_pairs(out).pairs] == ["ann0", "ann1"] * 3


def test_the_first_attempt_is_greedy_and_later_ones_are_not(run: Run) -> None:
    model = TranslatorLM(late)
    manifest, _ = run(model)
    warmth = {
        (doc["id"], doc["order"]): (own["do_sample"], own["temperature"])
        for doc, own in zip(model.asked, model.settings, strict=True)
    }
    assert {order for _, order in warmth} == {0, 1, 2, 3}
    assert all(
        drawn == ((False, 0.0) if order < 2 else (True, 0.7))
        for (_, order), drawn in warmth.items()
    )
    # 4 characters a token: the longest text of the batch decides.
    most = max(-(-len(text) // 4) for text, _, _ in TRIPLETS)
    first = [own["max_gen_toks"] for own in model.settings[:6]]
    assert first == [2 * most + 32] * 6
    step = manifest["steps"]["sae"]
    assert step["accepted_by_attempt"] == {"1": 3, "2": 3}
    assert (step["asked"], step["accepted"], step["rejected"]["explanation"]) == (9, 6, 3)
    assert step["texts_lost"] == {}


def test_a_text_without_a_translation_is_left_out_and_counted(run: Run, out: Path) -> None:
    def some(prompt: str, doc: dict[str, Any], settings: dict[str, Any]) -> str:
        if doc["id"] == "t1":
            return "As an AI I have no view."
        if doc["id"] == "t4" and doc["order"] % 2:
            return TRIPLETS[4][1]  # SAE again in place of AAE
        return translated(prompt)

    manifest, _ = run(TranslatorLM(some), attempts=3)
    assert [pair.id for pair in read_pairs(out).pairs] == ["t0", "t2", "t3", "t5"]
    assert (manifest["pairs"], manifest["complete"]) == (4, False)
    sae, back = manifest["steps"]["sae"], manifest["steps"]["back"]
    assert (sae["rejected"]["refusal"], sae["texts_lost"]) == (3, {"refusal": 1})
    assert (back["rejected"]["unchanged"], back["texts_lost"]) == (3, {"unchanged": 1})
    assert (sae["texts"], back["texts"]) == (6, 5)
    assert out.with_name("pairs.jsonl.unfinished").is_dir()


def test_nothing_accepted_writes_nothing(run: Run, out: Path) -> None:
    told: list[Any] = []
    model = TranslatorLM(lambda prompt, doc, settings: "Sure!")
    with pytest.raises(ModelError, match=r"none of 12 translations .* \(12 explanation\)"):
        run(model, report=told.append)
    assert told[0]["steps"]["sae"]["rejected"]["explanation"] == 12
    assert not out.exists()


def test_more_tokens_are_advised_where_they_ran_out(run: Run) -> None:
    with pytest.raises(ModelError, match=r"\(12 cut_off\).* raise --max-new-tokens"):
        run(TranslatorLM(lambda prompt, doc, settings: "<think> So"))


def test_a_chat_template_is_advised_only_where_none_is_used(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = TranslatorLM(lambda prompt, doc, settings: "Sure!")
    with pytest.raises(ModelError, match=r"is needed, or with one --apply-chat-template$"):
        run(model)
    monkeypatch.setattr(TranslatorLM, "apply_chat_template", lambda self, turns: "x", raising=False)
    with pytest.raises(ModelError, match=r"is needed$"):
        run(model, chat=True)


@pytest.mark.parametrize(
    ("backend", "arguments", "size", "alone"),
    [
        ("hf", {}, 16, False),
        ("sociolect-hf", {"batch_size": 64}, 64, False),
        ("hf", {"batch_size": "auto"}, 16, False),
        ("sociolect-vllm", {}, 256, False),
        ("local-completions", {}, 256, True),
    ],
)
def test_what_is_asked_together(
    backend: str, arguments: dict[str, Any], size: int, alone: bool
) -> None:
    found = _batches(models.ModelChoice(backend, arguments, False, 0))
    assert (found.size, found.alone) == (size, alone)
    limits = found.limits(["a" * 40, "a" * 4], Settings())
    assert limits == ([52, 34] if alone else [52, 52])
    assert found.limits(["a" * 40, "a"], Settings(max_new_tokens=7)) == [7, 7]


def test_the_same_job_again_asks_nothing(run: Run) -> None:
    model = TranslatorLM()
    run(model)
    asked = len(model.asked)
    manifest, fresh = run(model)
    assert (fresh, manifest["pairs"], len(model.asked)) == (False, 6, asked)
    with pytest.raises(InvalidInputError, match=r"other settings \(attempts\)"):
        run(model, attempts=3)


def test_a_changed_file_is_not_taken_for_ours(run: Run, out: Path) -> None:
    run(TranslatorLM())
    out.write_text(out.read_text() + "\n")
    with pytest.raises(DataError, match="has changed since"):
        run(TranslatorLM())


def test_a_stopped_run_goes_on_and_ends_with_the_same_file(
    run: Run, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH", 2)
    run(TranslatorLM(late))
    whole, note = out.read_bytes(), out.with_suffix(".manifest.json").read_bytes()
    out.unlink()
    model = TranslatorLM(late)
    for stop, whole_batches in ((1, 0), (5, 4), (8, 8), (12, 11)):
        model.stop_after = stop
        with pytest.raises(KeyboardInterrupt):
            run(model)
        assert not out.exists()
        model.asked = model.asked[:whole_batches]  # those of an unfinished batch are lost
    model.stop_after = None
    run(model)
    assert out.read_bytes() == whole
    assert out.with_suffix(".manifest.json").read_bytes() == note
    asked = [(doc["id"], doc["order"]) for doc in model.asked]
    assert len(asked) == len(set(asked)) == 18


def test_a_killed_process_leaves_its_finished_work(
    run: Run, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH", 2)

    class Killed(TranslatorLM):
        def _text(self, *given: Any) -> str:
            if len(self.asked) == 9:
                os.kill(os.getpid(), signal.SIGKILL)
            return super()._text(*given)

    child = os.fork()
    if child == 0:
        run(Killed())
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert not out.exists()
    model = TranslatorLM()
    run(model)
    assert len(read_pairs(out).pairs) == 6
    assert len(model.asked) == 12 - 8


def test_what_no_file_can_hold_is_rejected_also_where_it_is_kept_already(
    run: Run, out: Path
) -> None:
    def torn(prompt: str, doc: dict[str, Any], settings: dict[str, Any]) -> str:
        end = {"t1": "\0", "t2": " \ud83d", "t3": "\x1b[2J\x07"}.get(doc["id"], "")
        return translated(prompt) + (end if doc["order"] == 0 else "")

    model = TranslatorLM(torn)
    model.stop_after = 6
    with pytest.raises(KeyboardInterrupt):
        run(model)
    model.stop_after = None
    manifest, _ = run(model)
    step = manifest["steps"]["sae"]
    assert (step["rejected"]["characters"], step["asked"]) == (3, 9)
    assert len(model.asked) == 6 + 3 + 6
    assert [(p.aae, p.sae, p.aae_back) for p in read_pairs(out).pairs] == list(TRIPLETS)


def test_thoughts_are_no_part_of_a_translation(run: Run, out: Path) -> None:
    def thinking(prompt: str, doc: dict[str, Any], settings: dict[str, Any]) -> str:
        return f"<think>\n{translated(prompt)}?\n</think>\n\n{translated(prompt)}"

    run(TranslatorLM(thinking))
    assert [(p.aae, p.sae, p.aae_back) for p in read_pairs(out).pairs] == list(TRIPLETS)


def test_a_text_too_long_for_the_model_is_named(run: Run) -> None:
    model = TranslatorLM()
    model.max_length = 150
    with pytest.raises(ModelError, match=r"the prompt of t\d has"):
        run(model)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['{"id": "a", "aae": "x"}', '{"id": "a", "aae": "y"}'], "jsonl:2: the id 'a' is that of"),
        (['{"id": "a", "aae": " "}'], "jsonl:1: aae is ' '"),
        (['{"id": "a"}'], "jsonl:1: no column 'aae'; there are 'id'"),
        (['{"id": "a", "aae": "x"}', "{"], "jsonl:2: no JSON"),
        (['{"id": "a", "aae": "x\\u0000"}'], r"jsonl:1: a text holds the character U\+0000"),
        (['{"id": "\\u200b", "aae": "x"}'], "jsonl:1: id is"),
        (['{"id": "a", "aae": "\\u200b"}'], "jsonl:1: aae is"),
        (['{"id": "a", "aae": "x"}', '{"id": " a ", "aae": "y"}'], "jsonl:2: the id 'a' is that"),
        (['{"id": "a\\nb", "aae": "x"}'], "jsonl:1: id is 'a.nb', which is more than one line"),
        (['{"id": "a\\tb", "aae": "x"}'], "jsonl:1: id is"),
        (['{"id": "a", "aae": "x", "group": "g\\u0007h"}'], "jsonl:1: group is"),
        (['{"id": "a", "aae": "x", "group": "\\ud800"}'], r"jsonl:1: a text .* U\+D800"),
        (['{"id": "a", "aae": "x", "group": [1]}'], "jsonl:1: group is .1., expected a text"),
        ([], "holds no text"),
    ],
)
def test_texts_that_cannot_be_read(tmp_path: Path, lines: list[str], message: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    with pytest.raises((DataError, SourceError), match=message):
        read_texts(path)


@pytest.mark.parametrize("group", [" g\t", "\u200b", "g\u200b"])
def test_names_of_texts_are_those_of_their_pairs(tmp_path: Path, group: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps({"id": "\ta\u200b ", "aae": " he up", "group": group}) + "\n")
    (text,) = read_texts(path).texts
    assert (text.id, text.group) == ("a\u200b", group.strip())
    pair = DialectPair(text.id, text.aae, "He is up", "he up", group=text.group)
    write_pairs([pair], tmp_path / "pairs.jsonl")
    assert read_pairs(tmp_path / "pairs.jsonl").pairs == (pair,)


def test_texts_keep_their_group_and_number_ids(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"id": 12, "aae": "he up", "group": "g", "more": [1]}\n{"id":"b","aae":"x"}\n')
    first, second = read_texts(path).texts
    assert (first.id, first.group, second.group) == ("12", "g", "")
    (tmp_path / "n.jsonl").write_text('{"id": 12, "aae": "he up", "group": 7}')
    assert read_texts(tmp_path / "n.jsonl").texts[0].group == "7"
    assert read_texts(path, limit=1).texts == (first,)
    with pytest.raises(InvalidInputError, match="--limit"):
        read_texts(path, limit=0)
    with pytest.raises(DataError, match="read from"):
        read_texts(tmp_path / "t.txt")


@pytest.mark.parametrize(
    "given", [{"attempts": 0}, {"seed": -1}, {"temperature": -0.1}, {"max_new_tokens": 0}]
)
def test_settings_out_of_range(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match="must be"):
        Settings(**given)

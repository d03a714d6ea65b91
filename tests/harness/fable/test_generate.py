from __future__ import annotations

import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import fable_writer
import pytest
from fable_writer import FableLM, good

from sociolect.generators.benchmarks import fable_plan
from sociolect.generators.benchmarks.fable_items import LABELS, read_items
from sociolect.generators.errors import (
    DataError,
    InvalidInputError,
    ModelError,
    ResultsError,
    UnknownNameError,
)
from sociolect.harness.fable import rounds
from sociolect.harness.fable.files import sha256_of
from sociolect.harness.fable.settings import chosen

PLAN = fable_writer.plan()


def moody(prompt: str, doc: dict[str, Any]) -> str:
    """Good at the second attempt, and at the first for every other item."""
    odd = sum(map(ord, doc["id"])) % 2
    return good(prompt, doc) if doc["order"] > odd else "No."


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "items.jsonl"


@pytest.fixture
def unfinished(tmp_path: Path) -> Path:
    return tmp_path / "items.jsonl.unfinished"


def test_items_and_a_manifest(run: Any, out: Path, unfinished: Path) -> None:
    manifest, fresh = run(PLAN, FableLM(moody))
    assert fresh
    assert [item.key for item in read_items(out)] == [item.key for item in PLAN]
    assert json.loads(out.with_suffix(".manifest.json").read_text()) == manifest
    assert manifest["sha256"] == sha256_of(out)
    assert (manifest["planned"], manifest["items"], manifest["complete"]) == (18, 18, True)
    responses = manifest["responses"]
    rejected = sum(responses["rejected"].values())
    assert responses["written"] == responses["accepted"] + rejected == 18 + rejected
    assert responses["rejected"]["too_short"] == rejected > 0
    assert responses["accepted_by_attempt"] == {"1": 18 - rejected, "2": rejected}
    assert manifest["by_category"]["age"]["NONE"] == {"planned": 3, "items": 3}
    assert manifest["settings"]["writer"]["model"]["arguments"] == {"model": "W"}
    assert not unfinished.exists()


def test_the_same_command_again_asks_nothing(run: Any, out: Path) -> None:
    model = FableLM()
    run(PLAN, model)
    manifest, fresh = run(PLAN, model)
    assert (fresh, manifest["items"], len(model.written)) == (False, 18, 18)


def test_a_stopped_run_goes_on_and_ends_with_the_same_file(
    run: Any, out: Path, unfinished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "BATCH", 4)
    run(PLAN, FableLM(moody))
    whole, note = out.read_bytes(), out.with_suffix(".manifest.json").read_bytes()
    out.unlink()
    model = FableLM(moody)
    for stop, whole_batches in ((3, 0), (9, 8), (14, 12), (21, 18)):
        model.stop_after = stop
        with pytest.raises(KeyboardInterrupt):
            run(PLAN, model)
        assert not out.exists()
        assert unfinished.is_dir()
        model.written = model.written[:whole_batches]  # those of an unfinished batch are lost
    model.stop_after = None
    run(PLAN, model)
    assert out.read_bytes() == whole
    assert out.with_suffix(".manifest.json").read_bytes() == note
    asked = [(doc["id"], doc["order"]) for doc in model.written]
    assert len(asked) == len(set(asked))


def test_a_killed_process_leaves_its_finished_work(
    run: Any, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "BATCH", 4)

    class Killed(FableLM):
        def _text(self, prompt: str, doc: dict[str, Any]) -> str:
            if len(self.written) == 10:
                os.kill(os.getpid(), signal.SIGKILL)
            return super()._text(prompt, doc)

    child = os.fork()
    if child == 0:
        run(PLAN, Killed())
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert not out.exists()
    model = FableLM()
    run(PLAN, model)
    assert len(read_items(out)) == 18
    assert len(model.written) == 18 - 8  # two batches of four were finished


def test_a_second_process_waits_and_finds_the_file(run: Any, out: Path) -> None:
    began, go_on = threading.Event(), threading.Event()

    def slow(prompt: str, doc: dict[str, Any]) -> str:
        began.set()
        assert go_on.wait(10)
        return good(prompt, doc)

    model = FableLM(slow)
    results: list[bool] = []

    def work() -> None:
        results.append(run(PLAN, model)[1])

    threads = [threading.Thread(target=work) for _ in range(2)]
    threads[0].start()
    assert began.wait(10)
    threads[1].start()
    threads[1].join(0.3)
    assert results == []
    go_on.set()
    for thread in threads:
        thread.join(10)
    assert sorted(results) == [False, True]
    assert len(model.written) == 18


def test_a_model_that_never_takes_a_stance_leaves_no_file(
    run: Any, out: Path, unfinished: Path
) -> None:
    told: list[Any] = []
    with pytest.raises(ModelError, match=r"none of 36 responses was accepted.*36 too_short"):
        run(PLAN, FableLM(lambda *_: "No."), attempts=2, report=told.append)
    assert not out.exists()
    assert not out.with_suffix(".manifest.json").exists()
    assert told[0]["responses"]["rejected"]["too_short"] == 36
    assert unfinished.is_dir()


def test_more_attempts_go_on_from_the_answers_of_fewer(
    run: Any, out: Path, unfinished: Path
) -> None:
    model = FableLM(moody)
    manifest, _ = run(PLAN, model, attempts=1)
    assert 0 < manifest["items"] < 18
    assert not manifest["complete"]
    assert unfinished.is_dir()
    before = len(model.written)
    with pytest.raises(InvalidInputError, match=r"other settings \(attempts\)"):
        run(PLAN, model, attempts=2)
    out.unlink()
    manifest, _ = run(PLAN, model, attempts=2)
    assert manifest["complete"]
    assert len(model.written) == before + manifest["responses"]["accepted_by_attempt"]["2"]


def test_a_balanced_set_has_as_many_items_of_every_question_and_stance(run: Any, out: Path) -> None:
    def lacking(prompt: str, doc: dict[str, Any]) -> str:
        return "No." if doc["id"] == "age/age-1/01A" else good(prompt, doc)

    manifest, _ = run(PLAN, FableLM(lacking), balanced=True)
    assert (manifest["items"], manifest["dropped_for_balance"]) == (12, 5)
    cells = manifest["by_question_and_label"]
    assert (cells["fewest"], cells["most"], cells["complete"]) == (2, 2, 0)
    assert len(read_items(out)) == 12
    assert manifest["responses"]["accepted"] == 17


def test_without_a_balanced_set_nothing_is_written(run: Any, out: Path) -> None:
    def lacking(prompt: str, doc: dict[str, Any]) -> str:
        return "No." if doc["id"].endswith("A") else good(prompt, doc)

    with pytest.raises(InvalidInputError, match=r"no balanced set: 2 of 6.*age/age-1 A"):
        run(PLAN, FableLM(lacking), balanced=True)
    assert not out.exists()


def test_a_complete_set_is_balanced_as_planned(run: Any) -> None:
    uneven = PLAN[:4]
    manifest, _ = run(uneven, FableLM(), balanced=True)
    assert (manifest["items"], manifest["dropped_for_balance"]) == (4, 0)


def test_another_model_may_read_the_stances(run: Any, out: Path) -> None:
    writer, reader = FableLM(), FableLM()
    manifest, _ = run(PLAN, writer, reader, form="reason")
    assert (len(writer.written), len(writer.read)) == (18, 0)
    assert (len(reader.written), len(reader.read)) == (0, 36)
    assert manifest["settings"]["checker"]["model"]["arguments"] == {"model": "R"}
    assert manifest["settings"]["checker"]["form"] == "reason"


def test_a_licence_is_kept_with_every_item(run: Any, out: Path) -> None:
    run(PLAN[:3], FableLM(), licence="CC0-1.0")
    assert [item.source for item in read_items(out)] == [
        {"model": "W", "checker": "W", "attempt": 1, "licence": "CC0-1.0"}
    ] * 3


def test_other_files_are_left_alone(run: Any, out: Path) -> None:
    out.write_text("mine")
    with pytest.raises(InvalidInputError, match="no manifest says what it is"):
        run(PLAN, FableLM())
    assert out.read_text() == "mine"
    out.unlink()
    run(PLAN, FableLM())
    out.write_text(f"{out.read_text()}\n")
    with pytest.raises(DataError, match="has changed"):
        run(PLAN, FableLM())


def test_a_folder_that_cannot_be_written_to_is_named_first(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    model = FableLM()
    with pytest.raises(ResultsError, match="no permission"):
        run(PLAN, model)
    assert model.written == []


def test_a_model_without_log_likelihoods_and_an_unknown_form(run: Any) -> None:
    class Mute(FableLM):
        def loglikelihood(self, requests: Any, disable_tqdm: bool = False) -> Any:
            raise NotImplementedError("no scores here")

    with pytest.raises(ModelError, match=r"no scores here.*--checker-form reason"):
        run(PLAN, Mute())
    with pytest.raises(UnknownNameError, match="form of the checker"):
        run(PLAN, FableLM(), form="label")


def test_what_a_backend_raises_is_one_message(run: Any, unfinished: Path) -> None:
    class Broken(FableLM):
        def generate_until(self, requests: Any, disable_tqdm: bool = False) -> Any:
            raise RuntimeError("CUDA error: an illegal memory access")

    with pytest.raises(ModelError, match="dummy stopped: RuntimeError: CUDA error"):
        run(PLAN, Broken())
    assert list((unfinished / "answers").glob("traceback_*.txt"))


def test_a_context_that_is_too_short_is_refused(run: Any) -> None:
    model = FableLM()
    model.max_length = 250
    with pytest.raises(ModelError, match="more than the 250"):
        run(PLAN, model)
    assert model.written == []


@pytest.mark.skipif(
    not os.environ.get("SOCIOLECT_SOURCES"), reason="SOCIOLECT_SOURCES names no source files"
)
def test_the_plan_of_3822_items_can_be_written(run: Any, out: Path) -> None:
    asked: list[str] = []

    def noted(prompt: str, doc: dict[str, Any]) -> str:
        asked.append(prompt)
        return good(prompt, doc)

    planned = chosen(fable_plan.plan(), (), 126)
    manifest, _ = run(planned, FableLM(noted), attempts=1)
    assert manifest["complete"]
    assert {
        own[label]["items"] for own in manifest["by_category"].values() for label in LABELS
    } == {6}
    for prompt, item in zip(asked, planned, strict=True):
        assert item.question in prompt
        before = prompt.partition("\n\nQuestion:")[0]
        assert not any(word in before.split() for words in item.groups for word in words)

"""Finished chunks are kept, found again, and never half there."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from sociolect.generators.errors import ResultsError
from sociolect.steering.backends import answers
from sociolect.steering.backends.answers import Answered, AnswerStore
from sociolect.steering.backends.requests import Chunk, Prompt, in_chunks

IDENTITY = {"backend": "test", "arguments": {"pretrained": "m"}}


def chunks(count: int = 5, size: int = 2, repeats: int = 2) -> list[Chunk]:
    asked = [Prompt("winobias_clean", (f"p{n}", {}), repeats, n, None) for n in range(count)]
    return in_chunks(asked, size)


def run(store: AnswerStore, asked: list[Chunk], compute: Any) -> dict[int, tuple[Any, bool]]:
    return {at: (made, fresh) for at, made, fresh in store.answer("generate_until", asked, compute)}


def test_what_was_computed_is_read_the_second_time(tmp_path: Path, echo: Any) -> None:
    asked = chunks()
    first = run(AnswerStore(tmp_path, IDENTITY), asked, echo)
    second = run(AnswerStore(tmp_path, IDENTITY), asked, echo)
    assert [fresh for _, fresh in first.values()] == [True] * 3
    assert [fresh for _, fresh in second.values()] == [False] * 3
    assert {k: v for k, (v, _) in first.items()} == {k: v for k, (v, _) in second.items()}
    assert echo.asked == [["p0", "p1"], ["p2", "p3"], ["p4"]]


@pytest.mark.parametrize(
    "text", ["", "\n", "a\nb\r\n", "\u2028\x85", "é😀", '"}\\', "\udcff", "\x00", " "]
)
def test_any_text_comes_back_as_it_was(tmp_path: Path, text: str) -> None:
    asked = chunks(1, 1, 1)
    run(AnswerStore(tmp_path, IDENTITY), asked, lambda _: Answered([[text]], 1))
    found = run(AnswerStore(tmp_path, IDENTITY), asked, pytest.fail)
    assert found[0] == ([[text]], False)


def test_log_likelihoods_come_back_to_the_last_bit(tmp_path: Path) -> None:
    asked = chunks(2, 2, 1)
    made = [[[-0.1 - 0.2, True]], [[float("-inf"), False]]]
    run(AnswerStore(tmp_path, IDENTITY), asked, lambda _: Answered(made, 0))
    assert run(AnswerStore(tmp_path, IDENTITY), asked, pytest.fail)[0] == (made, False)


@pytest.mark.parametrize("what", ["identity", "method", "seed", "text", "repeats", "company"])
def test_everything_that_changes_an_answer_is_in_the_name(tmp_path: Path, what: str) -> None:
    base = AnswerStore(tmp_path, IDENTITY).path("generate_until", chunks()[0])
    prompts = list(chunks()[0].prompts)
    identity, method = dict(IDENTITY), "generate_until"
    if what == "identity":
        identity["backend"] = "other"
    elif what == "method":
        method = "loglikelihood"
    elif what == "company":
        prompts.pop()
    else:
        values = {"seed": {"seed": 99}, "text": {"arguments": ("q", {})}, "repeats": {"repeats": 3}}
        fields = {n: getattr(prompts[0], n) for n in ("task", "arguments", "repeats", "seed")}
        prompts[0] = Prompt(**{**fields, **values[what]}, instance=None)
    chunk = Chunk("winobias_clean", 0, tuple(prompts))
    assert AnswerStore(tmp_path, identity).path(method, chunk) != base


@pytest.mark.parametrize(
    "damage",
    [
        lambda b: b[: len(b) // 2],
        lambda b: b"",
        lambda b: b.replace(b"p0/", b"p9/", 1),
        lambda b: b"\xff\xfe" + b,
        lambda b: b.replace(b"sha256", b"sha255"),
        lambda b: b"\n".join(b.split(b"\n")[:1] + b.split(b"\n")[2:]),
        lambda b: b"[" * 2000,
    ],
)
def test_a_damaged_file_is_reported_and_made_again(
    tmp_path: Path, echo: Any, damage: Any, caplog: pytest.LogCaptureFixture
) -> None:
    asked = chunks()
    whole = run(AnswerStore(tmp_path, IDENTITY), asked, echo)
    path = AnswerStore(tmp_path, IDENTITY).path("generate_until", asked[0])
    before = path.read_bytes()
    path.write_bytes(damage(before))
    with caplog.at_level(logging.WARNING, logger="lm_eval"):
        again = run(AnswerStore(tmp_path, IDENTITY), asked, echo)
    assert str(path) in caplog.text
    assert again[0] == (whole[0][0], True)
    assert [again[1][1], again[2][1]] == [False, False]
    assert run(AnswerStore(tmp_path, IDENTITY), asked, pytest.fail)[0][0] == whole[0][0]


def test_a_file_under_the_name_of_another_is_made_again(
    tmp_path: Path, echo: Any, caplog: pytest.LogCaptureFixture
) -> None:
    asked = chunks(4)
    whole = run(AnswerStore(tmp_path, IDENTITY), asked, echo)
    store = AnswerStore(tmp_path, IDENTITY)
    one, two = (store.path("generate_until", chunk) for chunk in asked)
    one.write_bytes(two.read_bytes())
    with caplog.at_level(logging.WARNING, logger="lm_eval"):
        again = run(store, asked, echo)
    assert again[0] == (whole[0][0], True)
    assert caplog.text.count("answers to other prompts") == 1


def test_a_file_with_too_few_answers_is_made_again(tmp_path: Path, echo: Any) -> None:
    asked = chunks(1, 1, 2)
    run(AnswerStore(tmp_path, IDENTITY), asked, lambda _: Answered([["one"]], 1))
    assert run(AnswerStore(tmp_path, IDENTITY), asked, echo)[0][1] is True


def test_what_was_done_before_an_interruption_stays(tmp_path: Path, echo: Any) -> None:
    asked = chunks()

    def interrupted(chunk: Chunk) -> Answered:
        if chunk.number == 1:
            raise KeyboardInterrupt
        return echo(chunk)

    with pytest.raises(KeyboardInterrupt):
        run(AnswerStore(tmp_path, IDENTITY), asked, interrupted)
    store = AnswerStore(tmp_path, IDENTITY)
    assert store.finished("generate_until", asked) == 1
    found = run(store, asked, echo)
    assert [found[n][1] for n in range(3)] == [False, True, True]


KILLED = """
import os, signal, sys
from pathlib import Path
from sociolect.steering.backends import answers
from sociolect.steering.backends.answers import Answered, AnswerStore
from sociolect.steering.backends.requests import Chunk, Prompt
prompt = Prompt("winobias_clean", ("p0", {}), 1, 0, None)
os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)  # everything but the renaming is done
store = AnswerStore(Path(sys.argv[1]), {"backend": "test"})
(store.folder / ".locks").mkdir(parents=True)
(store.folder / "model.json").write_text("{}")
list(store.answer("generate_until", [Chunk("winobias_clean", 0, (prompt,))],
                  lambda _: Answered([["half"]], 1)))
"""


def test_a_process_killed_while_it_writes_leaves_nothing_that_counts(tmp_path: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert killed.returncode == -9
    store = AnswerStore(tmp_path, {"backend": "test"})
    assert len(list(store.folder.glob(".*.part"))) == 1
    prompt = Prompt("winobias_clean", ("p0", {}), 1, 0, None)
    asked = [Chunk("winobias_clean", 0, (prompt,))]
    assert store.finished("generate_until", asked) == 0
    assert run(store, asked, lambda _: Answered([["whole"]], 1))[0] == ([["whole"]], True)
    assert list(store.folder.glob(".*.part")) == []


def test_processes_share_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two at once: nothing is computed twice, both get everything."""
    monkeypatch.setattr(answers, "WAIT_SECONDS", 0.01)
    asked = chunks(12, 1, 1)
    computed: list[int] = []
    found: list[dict[int, tuple[Any, bool]]] = []

    def compute(chunk: Chunk) -> Answered:
        computed.append(chunk.number)
        threading.Event().wait(0.02)
        return Answered([[str(chunk.number)]], 1)

    def work() -> None:
        found.append(run(AnswerStore(tmp_path, IDENTITY), asked, compute))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert sorted(computed) == list(range(12))
    assert [sorted((at, made) for at, (made, _) in one.items()) for one in found] == [
        [(n, [[str(n)]]) for n in range(12)]
    ] * 3


def test_the_folder_says_whose_answers_it_holds(tmp_path: Path, echo: Any) -> None:
    store = AnswerStore(tmp_path, IDENTITY)
    run(store, chunks(), echo)
    assert json.loads((store.folder / "model.json").read_text()) == IDENTITY
    head = json.loads(store.path("generate_until", chunks()[0]).read_text().split("\n")[0])
    assert head["task"] == "winobias_clean"
    assert (head["prompts"], head["tokens"]) == (2, 12)


def test_a_task_name_never_leads_out_of_the_folder(tmp_path: Path) -> None:
    prompt = Prompt("../../etc/x", ("p", {}), 1, 0, None)
    store = AnswerStore(tmp_path, IDENTITY)
    assert store.path("m", Chunk("../../etc/x", 0, (prompt,))).parent == store.folder


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX")
def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, echo: Any) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultsError, match="answers=FOLDER"):
        run(AnswerStore(tmp_path / "file", IDENTITY), chunks(), echo)


def test_a_full_disk_is_said_and_what_is_there_stays(
    tmp_path: Path, echo: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, asked = AnswerStore(tmp_path, IDENTITY), chunks()
    run(store, asked[:1], echo)

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(answers, "_replace", full)
    with pytest.raises(ResultsError, match="No space left on device"):
        run(store, asked, echo)
    assert store.finished("generate_until", asked) == 1

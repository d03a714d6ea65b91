"""One answer a request, in order, whatever was kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sociolect.generators.errors import InvalidInputError
from sociolect.steering.backends.answers import AnswerStore
from sociolect.steering.backends.chunked import (
    Chunked,
    Runner,
    answers_folder,
    whole_number,
)
from sociolect.steering.backends.progress import Progress
from sociolect.steering.backends.requests import Chunk


def runner(folder: Path | None, size: int = 2, seed: int = 1) -> Runner:
    store = AnswerStore(folder, {"backend": "test"}) if folder else None
    return Runner(run_seed=seed, size=size, store=store, hidden=True)


@pytest.mark.parametrize("size", [1, 2, 3, 100])
@pytest.mark.parametrize("kept", [False, True])
def test_the_kth_request_of_a_prompt_gets_its_kth_answer(
    tmp_path: Path, make_request: Any, echo: Any, size: int, kept: bool
) -> None:
    requests = [make_request(n) for n in range(5) for _ in range(3)]
    model = runner(tmp_path if kept else None, size)
    found = model.run("generate_until", requests, echo)
    shown = [(text.split("/")[0], text.split("/")[-1]) for text in found]
    assert shown == [(f"prompt {n}", str(k)) for n in range(5) for k in range(3)]
    assert model.run("generate_until", requests, echo) == found
    assert len(echo.asked) == -(-5 // size) * (1 if kept else 2)


def test_a_longer_run_takes_over_the_whole_chunks_of_a_shorter_one(
    tmp_path: Path, make_request: Any, echo: Any
) -> None:
    runner(tmp_path).run("generate_until", [make_request(n) for n in range(4)], echo)
    runner(tmp_path).run("generate_until", [make_request(n) for n in range(6)], echo)
    assert echo.asked[2:] == [["prompt 4", "prompt 5"]]


def test_another_run_seed_is_asked_anew(tmp_path: Path, make_request: Any, echo: Any) -> None:
    requests = [make_request(0)]
    one = runner(tmp_path, seed=1).run("generate_until", requests, echo)
    two = runner(tmp_path, seed=2).run("generate_until", requests, echo)
    assert one != two


def test_no_requests_are_no_answers(tmp_path: Path, echo: Any) -> None:
    assert runner(tmp_path).run("generate_until", [], echo) == []


class Scorer:
    """Stands for a class of lm_eval."""

    scores: list[Any] = [(-1.5, True), (-2.0, False)]  # noqa: RUF012

    def loglikelihood(self, requests: Any, disable_tqdm: bool = False) -> list[Any]:
        return self.scores

    def loglikelihood_rolling(self, requests: Any, disable_tqdm: bool = False) -> list[Any]:
        return [score for score, _ in self.scores]


class Scoring(Chunked, Scorer):
    def _generate(self, chunk: Chunk, bar: Progress) -> Any:
        raise AssertionError("nothing is generated")


def test_log_likelihoods_are_scored_once_and_repeated(tmp_path: Path, make_request: Any) -> None:
    model = Scoring()
    model.runner = runner(tmp_path)
    one, two = (make_request(n, settings=" he") for n in range(2))
    for _ in range(2):  # scored, then read
        assert model.loglikelihood([one, two, one]) == [(-1.5, True), (-2.0, False), (-1.5, True)]
        assert model.loglikelihood_rolling([one, two]) == [-1.5, -2.0]


def test_fewer_answers_than_prompts_are_an_error(make_request: Any) -> None:
    model = Scoring()
    model.scores, model.runner = [], runner(None)
    with pytest.raises(ValueError, match="zip"):
        model.loglikelihood([make_request(0, settings=" he")])


@pytest.mark.parametrize("value", ["x", "0", -1, 1.5, True, None, "1e3"])
def test_a_chunk_is_a_whole_number(value: object) -> None:
    with pytest.raises(InvalidInputError, match="chunk="):
        whole_number("chunk", value)


def test_the_folder_of_answers(tmp_path: Path) -> None:
    for nothing in (None, "", "None", False):
        assert answers_folder(nothing) is None
    assert answers_folder(str(tmp_path)) == tmp_path
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInputError, match="names no folder"):
        answers_folder(True)
    with pytest.raises(InvalidInputError, match="is a file"):
        answers_folder(tmp_path / "file")


def test_the_bar_counts_what_engine_and_chunk_report_once(capsys: Any) -> None:
    with Progress(10, "generate_until") as bar:
        bar.found(4)
        engine = bar.engine_bar(total=3, desc="Processed prompts")
        assert engine.format_dict["elapsed"] > 0
        engine.postfix = "est. speed"
        engine.update(2)
        bar.finished(6, tokens=60)
        assert bar._bar.n == 10
        assert bar.engine_bar([1, 2], desc="Rendering") == [1, 2]
    assert "tokens/s" in capsys.readouterr().err

"""`sociolect noise`: one text, with what was changed beside it."""

from __future__ import annotations

import io
import json

import pytest

from sociolect.generators.noise.realised import realised
from sociolect.harness.cli import main

TEXT = "I don't think Emily is going to be the better choice, because both are really good."


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> object:
    monkeypatch.setattr("sys.argv", ["sociolect", "noise", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    return end.value.code


def test_the_realised_change_stands_beside_the_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, TEXT, "--transform", "typo", "--level", "100", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    change = realised(TEXT, found["text"])
    assert found["change"]["token_change"] == change.token_change > 0.5
    assert found["change"]["length_ratio"] == change.length_ratio
    assert {edit["type"] for edit in found["edits"]} == {"typo"}
    assert run(monkeypatch, TEXT, "--transform", "typo", "--level", "100") == 0
    shown = capsys.readouterr().out
    assert shown.startswith(found["text"] + "\n")
    assert (
        f"{change.changed} of {change.n_tokens} tokens changed ({change.token_change:.1%})" in shown
    )
    assert "{+" in shown


def test_text_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(TEXT + "\n"))
    assert run(monkeypatch, "-", "--transform", "punct", "--level", "100", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["clean"] == TEXT
    assert not set("',.") & set(found["text"])


def test_protected_words_and_seeds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = set()
    for seed in range(4):
        options = ["--level", "100", "--seed", str(seed), "--protect", "Emily", "--json"]
        assert run(monkeypatch, TEXT, *options) == 0
        texts.add(json.loads(capsys.readouterr().out)["text"])
    assert len(texts) == 4
    assert all("Emily" in text for text in texts)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--transform", "typos"], "unknown"),
        (["--draws", "same"], "unknown way to draw"),
        (["--level", "101"], "p must be above 0 and at most 1"),
        (["--level", "0"], "p must be above 0 and at most 1"),
        (["--protect", "Jamal"], "'Jamal': not in the text"),
    ],
)
def test_wrong_arguments_are_told(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    assert run(monkeypatch, TEXT, *arguments) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "   ", "42 % (B)"])
def test_what_cannot_be_changed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    code = run(monkeypatch, text, "--level", "100", "--json")
    out = capsys.readouterr()
    if text.strip():
        assert code == 0
        assert json.loads(out.out)["edits"] == []
    else:
        assert code == 2
        assert "empty" in out.err

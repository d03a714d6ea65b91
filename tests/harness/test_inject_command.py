from __future__ import annotations

import json

import pytest

from sociolect.harness.cli import main

TEXT = "The African American manager of the African shop have spoken to the African guest."


def run(monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", ["sociolect", "inject", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    return end.value.code


@pytest.mark.parametrize("seed", range(6))
def test_protected_phrases_stay(monkeypatch, capsys, seed):
    phrases = ["--protect", "African American", "--protect", "guest", "--protect", "spoken"]
    options = ["--level", "40", "--seed", str(seed), "--json"]
    assert run(monkeypatch, TEXT, *options, *phrases) == 0
    found = json.loads(capsys.readouterr().out)
    for phrase in ("African American", "guest", "spoken"):
        assert found["text"].count(phrase) == TEXT.count(phrase)
    assert found["edits"]


@pytest.mark.parametrize("phrase", ["manage", "African  shops", "american"])
def test_a_phrase_that_is_not_there_is_told(monkeypatch, capsys, phrase):
    if phrase == "american":  # without a capital it is found in any spelling
        assert run(monkeypatch, TEXT, "--protect", phrase) == 0
        return
    assert run(monkeypatch, TEXT, "--protect", phrase) == 2
    assert repr(phrase) in capsys.readouterr().err

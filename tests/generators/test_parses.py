from __future__ import annotations

import pytest

from sociolect.generators import nlp, parses
from sociolect.generators.parses import MIN_TEXTS, cache_file, parsed

TEXTS = [
    f"The {i} managers' friend didn't  give it up; \u201cnobody\u201d told the chief of Café {i}.\n"
    for i in range(MIN_TEXTS)
]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(parses, "user_cache_dir", lambda _: str(tmp_path))


def facts(doc):
    tokens = [
        (t.text, t.whitespace_, t.tag_, t.pos_, t.dep_, t.head.i, t.lemma_, t.is_sent_start)
        for t in doc
    ]
    return doc.text, tokens, [(c.start, c.end, c.root.i) for c in doc.noun_chunks]


def forbidden(_):
    raise AssertionError("parsed again")


def test_kept_parses_are_what_the_parser_gave(monkeypatch):
    fresh = [facts(doc) for doc in parsed(TEXTS)]
    assert fresh == [facts(doc) for doc in nlp.parse(TEXTS)]
    monkeypatch.setattr(nlp, "parse", forbidden)
    assert [facts(doc) for doc in parsed(TEXTS)] == fresh


def test_other_texts_have_another_file():
    moved = [TEXTS[0] + TEXTS[1][:1], TEXTS[1][1:], *TEXTS[2:]]
    assert "".join(moved) == "".join(TEXTS)
    assert len({cache_file(texts) for texts in (TEXTS, TEXTS[1:], TEXTS[::-1], moved)}) == 4


@pytest.mark.parametrize("damage", [b"", b"half", None])
def test_a_damaged_file_is_made_again(damage):
    fresh = [facts(doc) for doc in parsed(TEXTS)]
    file = cache_file(TEXTS)
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    assert [facts(doc) for doc in parsed(TEXTS)] == fresh
    assert file.read_bytes() == whole
    assert [p.name for p in file.parent.iterdir()] == [file.name]


def test_parses_of_other_texts_under_the_name_are_not_used():
    parsed(TEXTS)
    other = [text.replace("chief", "nurse") for text in TEXTS]
    cache_file(TEXTS).rename(cache_file(other))
    assert [doc.text for doc in parsed(other)] == other


def test_few_texts_are_not_kept(tmp_path):
    parsed(TEXTS[: MIN_TEXTS - 1])
    assert list(tmp_path.iterdir()) == []


def test_a_cache_that_cannot_be_written_to_costs_only_time(tmp_path):
    (tmp_path / "parses").write_text("a file")
    assert len(parsed(TEXTS)) == len(TEXTS)

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from spacy.tokens import Token

from sociolect.generators.learner import inflection
from sociolect.generators.learner.inflection import (
    BE_AGREEMENT,
    BE_TENSE,
    MODALS,
    VERB_TAGS,
    VerbTag,
    forms_of,
    inflect,
    inflector_versions,
    is_word,
    lemma_of,
    regular_past,
)


@pytest.mark.parametrize(
    ("lemma", "forms"),
    [
        ("talk", "talk talk talks talked talked talking"),
        ("write", "write write writes wrote written writing"),
        ("go", "go go goes went gone going"),
        ("have", "have have has had had having"),
        ("do", "do do does did done doing"),
        ("put", "put put puts put put putting"),
        ("hide", "hide hide hides hid hidden hiding"),
        ("wake", "wake wake wakes woke woken waking"),
        ("lie", "lie lie lies lied lied lying"),
        ("hang", "hang hang hangs hung hung hanging"),
        ("travel", "travel travel travels traveled traveled traveling"),
        ("cancel", "cancel cancel cancels canceled canceled canceling"),
        ("admit", "admit admit admits admitted admitted admitting"),
        ("knock", "knock knock knocks knocked knocked knocking"),
        ("watch", "watch watch watches watched watched watching"),
        ("carry", "carry carry carries carried carried carrying"),
        ("work", "work work works worked worked working"),
    ],
)
def test_the_six_forms(lemma: str, forms: str) -> None:
    assert [inflect(lemma, tag) for tag in VERB_TAGS] == forms.split()


@pytest.mark.parametrize("tag", VERB_TAGS)
def test_an_unknown_word_has_no_forms(tag: VerbTag) -> None:
    assert inflect("blorf", tag) is None


def test_archaic_forms_are_dropped() -> None:
    lemmas = (
        "have",
        "do",
        "write",
        "speak",
        "break",
        "bear",
        "get",
        "show",
        "help",
        "work",
        "dare",
    )
    found = {inflect(lemma, tag) for lemma in lemmas for tag in VERB_TAGS}
    archaic = {"hath", "hast", "doth", "dost", "writ", "spake", "brake", "holp", "shew", "wrought"}
    assert not found & (archaic | {"durst", "hadst", "didst"})


@pytest.mark.parametrize(
    ("form", "tag", "guess", "lemma"),
    [
        ("hoped", "VBD", "hop", "hope"),
        ("hoping", "VBG", "hop", "hope"),
        ("hopped", "VBD", "hop", "hop"),
        ("rated", "VBN", "rat", "rate"),
        ("hates", "VBZ", "hat", "hate"),
        ("visited", "VBD", "visit", "visit"),
        ("passed", "VBD", "pass", "pass"),
        ("singing", "VBG", "sing", "sing"),
        ("planned", "VBD", "plan", "plan"),
        ("went", "VBD", "go", "go"),
        ("put", "VBD", "put", "put"),
        ("sees", "VBZ", "see", "see"),
        ("go", "VB", "go", "go"),
        ("will", "MD", "will", "will"),
        ("zorped", "VBD", "zorpe", "zorpe"),
    ],
)
def test_the_form_confirms_the_lemma(form: str, tag: str, guess: str, lemma: str) -> None:
    assert lemma_of(form, tag, guess) == lemma


@pytest.mark.parametrize(
    ("lemma", "past"),
    [
        ("tell", "telled"),
        ("write", "writed"),
        ("fly", "flied"),
        ("buy", "buyed"),
        ("cut", "cutted"),
        ("forget", "forgetted"),
        ("throw", "throwed"),
    ],
)
def test_regular_past(lemma: str, past: str) -> None:
    assert regular_past(lemma) == past


def test_forms_of_a_word_of_any_class() -> None:
    assert {"withdraw", "withdraws", "withdrew", "withdrawn", "withdrawing"} <= forms_of("withdraw")
    assert {"book", "books", "booked"} <= forms_of("book")
    assert forms_of("blorf") == {"blorf"}
    assert is_word("seed")
    assert not is_word("winned")


def test_tables_never_map_a_form_to_itself() -> None:
    for table in (MODALS, BE_TENSE, BE_AGREEMENT):
        assert all(form != other for form, other in table.items())
    assert set(BE_TENSE) == set(BE_AGREEMENT) == {"is", "are", "am", "was", "were"}


def test_the_tense_of_be_keeps_its_number() -> None:
    singular = {"is", "am", "was"}
    assert all((a in singular) == (b in singular) for a, b in BE_TENSE.items())
    assert all((a in singular) != (b in singular) for a, b in BE_AGREEMENT.items() if a != "am")


def test_versions_name_the_package() -> None:
    assert inflector_versions() == {"pyinflect": "0.5.1"}


@pytest.fixture
def free_extension() -> Iterator[None]:
    """`Token._.inflect` as it was before, and the module loaded anew."""
    before = Token.get_extension("inflect") if Token.has_extension("inflect") else None
    if before is not None:
        Token.remove_extension("inflect")
    inflection._pyinflect.cache_clear()
    saved = {n: sys.modules.pop(n) for n in list(sys.modules) if n.split(".")[0] == "pyinflect"}
    yield
    sys.modules.update(saved)
    inflection._pyinflect.cache_clear()
    if Token.has_extension("inflect"):
        Token.remove_extension("inflect")
    if before is not None:
        names = ("default", "method", "getter", "setter")
        Token.set_extension("inflect", **dict(zip(names, before, strict=True)))


def theirs(token: Token, *args: Any) -> str:
    return "theirs"


@pytest.mark.usefixtures("free_extension")
def test_loading_leaves_no_extension_behind() -> None:
    assert inflect("go", "VBD") == "went"
    assert not Token.has_extension("inflect")
    Token.set_extension("inflect", method=theirs)


@pytest.mark.usefixtures("free_extension")
def test_loading_gives_an_extension_back_to_its_owner() -> None:
    Token.set_extension("inflect", method=theirs)
    assert inflect("go", "VBD") == "went"
    assert Token.get_extension("inflect")[1] is theirs


@pytest.mark.slow
@pytest.mark.parametrize("first", ["lemminflect", "pyinflect", "ours"])
def test_other_owners_of_the_extension_live_in_one_process(first: str) -> None:
    if first == "lemminflect" and find_spec("lemminflect") is None:
        pytest.skip("lemminflect is not installed")
    others = [n for n in ("lemminflect", "pyinflect") if find_spec(n)]
    imports = [f"import {first}"] if first != "ours" else []
    after = [f"import {n}" for n in others if n != first and first != "pyinflect"]
    code = "\n".join(
        (
            *imports,
            "from sociolect.generators.inject import inject",
            "print(inject('The clerk went home.', level=25, types=['verb']).text)",
            *after,
            "print(inject('The clerk went home.', level=25, types=['verb'], seed=3).n_edits)",
        )
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "1"

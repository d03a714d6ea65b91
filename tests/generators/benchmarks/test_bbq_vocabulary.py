import pytest

from sociolect.generators.benchmarks.bbq_vocabulary import Vocabulary, read_labels, read_names
from sociolect.generators.errors import SourceError

LABELS = "Category,Name\nReligion,Sikh\nAge,old\nReligion,Orthodox \nReligion,\n"
NAMES = (
    "Name,First_last,ethnicity\nAmy,first,White\nMary,first_only,\nAmy,first,Asian\nLe,last,Asian\n"
)


def test_labels_of_a_category() -> None:
    assert read_labels(LABELS, "v.csv", "Religion") == ("Sikh", "Orthodox")


def test_names_with_and_without_ethnicity() -> None:
    assert read_names(NAMES, "n.csv", with_ethnicity=True) == ("Amy", "Le")
    assert read_names(NAMES, "n.csv", with_ethnicity=False) == ("Mary",)


def test_an_empty_list_is_refused() -> None:
    with pytest.raises(SourceError, match=r"^v\.csv: no group of the category 'Race'"):
        read_labels(LABELS, "v.csv", "Race")
    with pytest.raises(SourceError, match=r"^n\.csv: no name without ethnicity"):
        read_names("Name,ethnicity\nAmy,White\n", "n.csv", with_ethnicity=False)


def test_forms() -> None:
    gender = Vocabulary("gender", ("man", "woman"), ("Mary",))
    assert {"man", "men", "woman", "women", "Mary", "trans"} <= gender.forms
    assert not {"Marys", "mary", "mans"} & gender.forms
    race = Vocabulary("race", ("South American", "Middle Eastern", "Roma"), ())
    assert {"South Americans", "Roma", "Latina"} <= race.forms
    assert not {"Romas", "Middle Easterns"} & race.forms


def test_words_are_lower_case_and_no_everyday_words() -> None:
    race = Vocabulary("race", ("South American", "White"), ("Amy", "Grace", "Banks", "al-Fasi"))
    assert {"american", "americans", "white", "amy", "al-fasi", "latina"} <= race.words
    assert not {"south", "grace", "banks"} & race.words
    assert all(word == word.lower() for word in race.words)


def test_a_group_and_its_noun_are_one_form() -> None:
    religion = Vocabulary("religion", ("Muslim", "Orthodox"), ())
    assert {"Muslim person", "Muslim people", "Orthodox men", "Muslim guy"} <= religion.forms
    assert not {"woman person", "man one"} & Vocabulary("gender", ("man", "woman"), ()).forms
    assert not {"person", "people", "guy"} & religion.words

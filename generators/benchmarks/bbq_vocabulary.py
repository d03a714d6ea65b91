"""The groups and personal names that BBQ fills into its templates."""

from __future__ import annotations

from dataclasses import dataclass

from sociolect.generators.benchmarks.bbq_rows import read_table
from sociolect.generators.benchmarks.entities import noun_forms
from sociolect.generators.errors import SourceError

_NAMES_THAT_ARE_WORDS = """
banks branch carol ebony grace heather ho ivory mark rivers singleton ware
"""
_ORDINARY_WORDS = frozenset(_NAMES_THAT_ARE_WORDS.split())
"""Names that are everyday words in lower case, where errors may fall on them or produce them."""

_WITHOUT_PLURAL = frozenset({"Jewish", "Middle Eastern", "Orthodox", "Roma"})

_PERSON_NOUNS = """
man woman boy girl guy person one student employee customer manager speaker
"""

_UNLISTED_WORDS: dict[str, frozenset[str]] = {
    "gender": frozenset({"trans", "transgender", "transgendered", "cis", "cisgender"}),
    "race": frozenset({"Latina", "Latinas", "Jew", "Jews"}),
    "religion": frozenset({"Jew", "Jews"}),
}
"""Single words for groups of an axis that the vocabulary lacks (*one of whom is trans*)."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words for the people of an axis.

    Attributes:
        labels: Names of groups (*African American*, *woman*).
        names: Personal names in the capitals of the source; empty for religion.
    """

    axis: str
    labels: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def forms(self) -> frozenset[str]:
        """Labels in the singular and in the plural, and names.

        On the axes whose labels are adjectives (race, religion) also a label with the noun that
        it stands before: an error may no more part *Muslim person* than *Donna Schneider*.
        """
        return self._label_forms | self._people | frozenset(self.names)

    @property
    def _people(self) -> frozenset[str]:
        if self.axis == "gender":
            return frozenset()
        nouns = _PERSON_NOUNS.split()
        adjectives = (*self.labels, "Latina")
        return noun_forms(f"{label} {noun}" for label in adjectives for noun in nouns)

    @property
    def _label_forms(self) -> frozenset[str]:
        fixed = _WITHOUT_PLURAL & set(self.labels)
        return noun_forms(set(self.labels) - fixed) | fixed | _UNLISTED_WORDS[self.axis]

    @property
    def words(self) -> frozenset[str]:
        """Lower-case words that name a group or a person by themselves.

        Of a label of several words that is the last one (*american*, not *south*). A name that
        is an everyday word in lower case (*grace*) is none of them.
        """
        labels = {form.split()[-1].lower() for form in self._label_forms}
        names = {name.lower() for name in self.names} - _ORDINARY_WORDS
        return frozenset(labels | names)


def read_labels(text: str, name: str, category: str) -> tuple[str, ...]:
    """The groups of a category in a vocabulary file (CSV).

    Raises:
        SourceError: A column is missing, or the category has no groups.
    """
    records = read_table(text, name, ("Category", "Name"))
    labels = tuple(label for _, (found, label) in records if found == category and label)
    if not labels:
        raise SourceError(f"{name}: no group of the category {category!r}.")
    return labels


def read_names(text: str, name: str, with_ethnicity: bool) -> tuple[str, ...]:
    """First names and surnames in a file of proper names (CSV), each once.

    Args:
        text: Content of the file.
        name: Its name, for messages.
        with_ethnicity: Whether to read the names that stand for an ethnicity (race) or those
            that stand for a gender alone.

    Raises:
        SourceError: A column is missing, or there is no such name.
    """
    records = read_table(text, name, ("Name", "ethnicity"))
    found = [n for _, (n, group) in records if n and bool(group) == with_ethnicity]
    if not found:
        raise SourceError(f"{name}: no name {'with' if with_ethnicity else 'without'} ethnicity.")
    return tuple(dict.fromkeys(found))

"""Where a text names the people that an item compares.

An entity keeps its article outside the span: determiner errors may fall on it. A possessive *'s*
belongs to the span, a plural is a form of its own. Only whole words match, so *African* is not
found inside *African American* where both are entities.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from sociolect.generators.benchmarks.coreference import PRONOUNS
from sociolect.generators.benchmarks.coreference import plural as regular_plural
from sociolect.generators.errors import InvalidInputError
from sociolect.generators.text import Span

_ARTICLE = re.compile(r"(?:the|an?)\s+", re.IGNORECASE)
_POSSESSIVE = r"(?:['’]s(?!\w)|(?<=[sS])['’](?!\w))?"
_PRONOUN = re.compile(rf"(?<!\w)(?:{'|'.join(PRONOUNS)})(?!\w)", re.IGNORECASE)
_IRREGULAR = {"man": "men", "woman": "women", "person": "people", "wife": "wives"}


def head(phrase: str) -> str:
    """A noun phrase without the article that it starts with and without outer white space."""
    phrase = phrase.strip()
    article = _ARTICLE.match(phrase)
    return phrase[article.end() :] if article else phrase


def plural(phrase: str) -> str:
    """The plural of a noun phrase, formed on its last word (*trans woman* → *trans women*)."""
    first, _, noun = phrase.rpartition(" ")
    lead = f"{first} " if first else ""
    if noun in _IRREGULAR:
        return lead + _IRREGULAR[noun]
    return lead + regular_plural(noun)


def noun_forms(phrases: Iterable[str]) -> frozenset[str]:
    """The phrases without their articles, each in the singular and in the plural."""
    heads = {head(phrase) for phrase in phrases}
    return frozenset(heads | {plural(h) for h in heads})


@dataclass(frozen=True)
class Entities:
    """Names of people and groups, found in texts as whole words.

    A capital letter in a form is significant: the surname *Banks* is not found in *river banks*,
    nor the group *White* in *white lie*. A form without any is found in every spelling.

    Attributes:
        forms: Words and phrases without articles.

    Raises:
        InvalidInputError: A form holds nothing but white space.
    """

    forms: frozenset[str]

    def __post_init__(self) -> None:
        if not all(form.strip() for form in self.forms):
            raise InvalidInputError("an entity has no letters; remove the empty form.")

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # The longest first: in "Native American man", the whole phrase is one entity.
        longest = sorted(self.forms, key=lambda form: (-len(form), form))
        choice = "|".join(map(_form_pattern, longest)) or r"(?!)"
        return re.compile(rf"(?<!\w)(?:{choice})(?!\w){_POSSESSIVE}")

    def spans(self, text: str) -> tuple[Span, ...]:
        """The mentions in a text from left to right, each with its possessive ending."""
        return tuple(Span(*match.span()) for match in self._pattern.finditer(text))


def _form_pattern(form: str) -> str:
    words = r"\s+".join(map(re.escape, form.split()))
    if form == form.lower():
        return f"(?i:{words})"
    if form[0].islower():  # "al-Fasi" may open a sentence
        return f"[{form[0]}{form[0].upper()}]{words[1:]}"
    return words


def pronoun_spans(text: str) -> tuple[Span, ...]:
    """The gendered pronouns of a text, as whole words."""
    return tuple(Span(*match.span()) for match in _PRONOUN.finditer(text))


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Spans from left to right, those that overlap joined into one."""
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span.start < joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return tuple(joined)

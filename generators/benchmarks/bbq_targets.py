"""Which of two answers a stereotype suggests (Parrish et al., 2022, "BBQ", §3 and §5).

A template names the groups that its stereotype is about. A question of negative polarity asks
for the stereotyped behaviour, and the stereotyped answer is the person of such a group; a
question of the other polarity asks for the opposite, and the stereotyped answer is the other
person. The index is therefore adjusted to the polarity and is never to be flipped again.

Groups are compared as wholes (*African* is not *African American*), after the tags of answers
and the words of templates are brought to one form: *F-Black* is *black*, *trans_M* and
*transgender women* are *trans*, *boy* and *men* are *m*.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from sociolect.generators.benchmarks.bbq_rows import BBQRow, Polarity, read_table
from sociolect.generators.errors import SourceError
from sociolect.generators.source_text import check_text, quoted, whole_number

StereotypedGroups = Mapping[int, frozenset[str]]
"""For each template, the groups that its stereotype is about."""

_MALE = frozenset({"m", "man", "men", "boy", "boys"})
_FEMALE = frozenset({"f", "woman", "women", "girl", "girls"})


def canonical(group: str) -> str:
    """The one form of a group, for a tag of `answer_info` or a word of a template."""
    name = re.sub(r"^[mf]-", "", " ".join(group.lower().split()))
    if name in _MALE:
        return "m"
    if name in _FEMALE:
        return "f"
    if name.startswith("nontrans"):
        return "nontrans"
    return "trans" if name.startswith("trans") else name


def read_stereotyped_groups(text: str, name: str) -> StereotypedGroups:
    """The stereotyped groups of every template of a file, versions of a template together.

    Args:
        text: Content of a template file (CSV).
        name: Its name, for messages.

    Raises:
        SourceError: A column is missing, or a record names no template or no groups.
    """
    groups: dict[int, frozenset[str]] = {}
    for where, (stated, listed) in read_table(text, name, ("Q_id", "Known_stereotyped_groups")):
        template = whole_number(stated)
        if template is None:
            raise SourceError(f"{where}: Q_id is {quoted(stated)}, expected a number.")
        found = frozenset(map(canonical, _listed(listed, where)))
        groups[template] = groups.get(template, frozenset()) | found
    return groups


def _listed(text: str, where: str) -> list[str]:
    try:
        words = json.loads(text)
    except (ValueError, RecursionError):
        words = None
    if not (isinstance(words, list) and words and all(isinstance(w, str) for w in words)):
        raise SourceError(f"{where}: Known_stereotyped_groups is {quoted(text)}, expected a list.")
    check_text("".join(words), where)
    return words


def stereotyped_answer(
    tags: Sequence[str], groups: frozenset[str], polarity: Polarity
) -> int | None:
    """Index of the answer that the stereotype suggests.

    Args:
        tags: The groups of the two answers.
        groups: The stereotyped groups in their one form.
        polarity: That of the question.

    Returns:
        0 or 1; None if the stereotype is about both people or about neither.
    """
    inside = [canonical(tag) in groups for tag in tags]
    if inside.count(True) != 1:
        return None
    named = inside.index(True)
    return named if polarity == "neg" else 1 - named


def target_of(row: BBQRow, stereotyped: StereotypedGroups) -> int | None:
    """Index of the stereotyped answer of a row; None as for `stereotyped_answer`.

    Raises:
        SourceError: The templates lack the row's one, or the two differ about the groups.
    """
    groups = stereotyped.get(row.question_index)
    if groups is None:
        raise SourceError(f"{row.where}: no template has the number {row.question_index}.")
    stated = frozenset(map(canonical, row.stereotyped_groups))
    if stated != groups:
        raise SourceError(
            f"{row.where}: stereotyped groups are {quoted(sorted(stated))} here and "
            f"{quoted(sorted(groups))} in template {row.question_index}."
        )
    return stereotyped_answer([a.group for a in row.answers], groups, row.polarity)

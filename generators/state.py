"""What has happened to a unit so far, and whether a further edit fits in."""

from __future__ import annotations

from dataclasses import dataclass, field

from sociolect.generators.analysis import Word, deletion_range, follow_case, recase
from sociolect.generators.articles import clashes
from sociolect.generators.learner.slots import Slot
from sociolect.generators.text import Edit, Span
from sociolect.generators.units import Member, Unit


@dataclass(slots=True)
class Choice:
    """A slot that was taken.

    Attributes:
        key: The choice belongs to every condition whose cutoff is at least this.
    """

    key: float
    slot: Slot
    outcome: str
    unit: Unit = field(repr=False, compare=False)
    _edits: tuple[tuple[Edit, ...], ...] | None = field(default=None, repr=False, compare=False)

    @property
    def edits(self) -> tuple[tuple[Edit, ...], ...]:
        """For each member of the unit, the edit and the repair of a capital it entails.

        Made when first asked for: most choices belong to no level that is rendered.
        """
        if self._edits is None:
            members = self.unit.members
            self._edits = self.unit.for_members(
                lambda m: member_edits(self.unit, self.slot, self.outcome, members[m])
            )
        return self._edits

    @property
    def growth(self) -> int:
        """Change of the token count."""
        return self.slot.is_insertion - self.slot.is_deletion


@dataclass
class UnitState:
    """What has happened to a unit so far.

    Attributes:
        edited: By token, what stands in its place now; empty if it was deleted.
        changed: The same in lower case, where it differs from the token in more than case.
        inserted: By the token that follows, the word that came in before it.
    """

    unit: Unit
    edited: dict[int, str] = field(default_factory=dict)
    changed: dict[int, str] = field(default_factory=dict)
    inserted: dict[int, str] = field(default_factory=dict)
    beside_insertion: set[int] = field(default_factory=set)
    groups: set[int] = field(default_factory=set)
    gone: list[list[Span]] = field(init=False)

    def __post_init__(self) -> None:
        self.gone = [[] for _ in self.unit.members]

    def admits(self, slot: Slot) -> bool:
        """Whether the slot conflicts with nothing that was taken."""
        if slot.group >= 0 and slot.group in self.groups:
            return False
        at = slot.token
        if slot.is_insertion:
            # A deletion and an insertion side by side would be one substitution.
            return (
                at not in self.inserted
                and not any(self.edited.get(n) == "" for n in self._beside(at))
                and self._capital_can_move(slot)
            )
        if at in self.edited:
            return False
        if slot.is_deletion:
            return (
                at not in self.beside_insertion
                and self._capital_can_move(slot)
                and self._leaves_cleanly(at)
            )
        return True

    def fits(self, slot: Slot, outcome: str) -> bool:
        """Whether an outcome makes neither an a/an clash nor a doubled word."""
        if self._moves_a_word(slot, outcome):
            return False
        at = slot.token
        left = self._left(at)
        right = self._right(at if slot.is_insertion else at + 1)
        if slot.is_insertion and moved_capital(self.unit, slot) is not None:
            # A lone letter is read by its name, a small one as a word: *a U*, but *an u*.
            right = frozenset(word[:1].lower() + word[1:] for word in right)
        if slot.is_deletion:
            return not any(clashes(x, y) for x in left for y in right)
        written = self._written(slot, outcome)
        for word in left:
            if word.lower() == outcome or clashes(word, written):
                return False
        return not any(word.lower() == outcome or clashes(written, word) for word in right)

    def take(self, key: float, slot: Slot, outcome: str) -> Choice:
        """Record a choice."""
        moved = moved_capital(self.unit, slot)
        if slot.is_insertion:
            self.inserted[slot.token] = outcome
            self.beside_insertion.update(self._beside(slot.token))
        else:
            self._edit(slot.token, self._written(slot, outcome))
        if slot.is_deletion:
            length = len(self.unit.analysis.words[slot.token].text)
            for ranges, member in zip(self.gone, self.unit.members, strict=True):
                start = _start(slot, member)
                ranges.append(deletion_range(member.text, Span(start, start + length)))
        if moved is not None:
            self.edited.setdefault(moved.index, moved.text)
        if slot.group >= 0:
            self.groups.add(slot.group)
        return Choice(key, slot, outcome, self.unit)

    def _edit(self, at: int, written: str) -> None:
        self.edited[at] = written
        if written.lower() != self.unit.analysis.words[at].lower:
            self.changed[at] = written.lower()

    def _written(self, slot: Slot, outcome: str) -> str:
        if slot.is_insertion:
            return outcome
        return follow_case(self.unit.analysis.words[slot.token].text, outcome)

    def _beside(self, at: int) -> tuple[int, int]:
        """The counted tokens on both sides of the gap before `at`."""
        analysis = self.unit.analysis
        return analysis.left_counted[at], analysis.right_counted[at]

    def _moves_a_word(self, slot: Slot, outcome: str) -> bool:
        """Whether a word goes and comes again at most two words away.

        Beside its old place it would undo the edit; a little further on, the two edits would
        read as one error of word order.
        """
        changed, inserted = self.changed, self.inserted
        if not (changed or inserted):
            return False
        words, reach = self.unit.analysis.words, self.unit.analysis.reach
        low = reach[slot.token][0]
        high = reach[slot.token + (not slot.is_insertion)][1]
        leaving = None if slot.is_insertion else words[slot.token].lower
        for i in range(max(low, 0), high + 1):
            if i in changed and (words[i].lower == outcome or changed[i] == leaving):
                return True
            if i > low and inserted.get(i, "") == leaving:
                return True
        return False

    def _leaves_cleanly(self, at: int) -> bool:
        """Whether a deleted token has white space to take along, of its own in every member."""
        length = len(self.unit.analysis.words[at].text)
        for member, gone in zip(self.unit.members, self.gone, strict=True):
            start = member.offsets[at]
            if start is None:
                return False
            taken = deletion_range(member.text, Span(start, start + length))
            if taken.end - taken.start == length:
                return False
            if any(taken.start < s.end and s.start < taken.end for s in (*member.protected, *gone)):
                return False
        return True

    def _left(self, at: int) -> frozenset[str]:
        """What stands before the gap before `at` now, in any member."""
        if at in self.inserted:
            return frozenset({self.inserted[at]})
        for i in reversed(range(at)):
            if found := self._standing(i):
                return found
            if i in self.inserted:
                return frozenset({self.inserted[i]})
        return frozenset()

    def _right(self, at: int) -> frozenset[str]:
        """What stands at `at` or, if nothing does, after it, in any member."""
        for i in range(at, len(self.unit.analysis.words)):
            if i in self.inserted:
                return frozenset({self.inserted[i]})
            if found := self._standing(i):
                return found
        return frozenset()

    def _standing(self, at: int) -> frozenset[str]:
        word = self.unit.analysis.words[at]
        if at in self.edited:
            return frozenset({self.edited[at]} - {""})
        if word.silent:
            return frozenset()
        return self.unit.variants[at]

    def _capital_can_move(self, slot: Slot) -> bool:
        moved = moved_capital(self.unit, slot)
        if moved is None:
            return True
        # The capital of a protected word stays (*Muslims …*), so nothing goes before it.
        return (
            (slot.is_deletion or moved.counted)
            and moved.text[:1].isalpha()
            and self.unit.shared[moved.index]
            and moved.index not in self.edited
            and len({self._around(slot, moved, m) for m in self.unit.members}) == 1
        )

    def _around(self, slot: Slot, moved: Word, member: Member) -> tuple[str, str]:
        """What a member has before a sentence's first word, and up to where its capital goes."""
        start, end = member.offsets[slot.token], member.offsets[moved.index]
        if start is None or end is None:
            return "", ""
        return member.text[:start].rstrip()[-1:], "".join(member.text[start:end].split())


def moved_capital(unit: Unit, slot: Slot) -> Word | None:
    """The token whose first letter changes case when a slot is taken."""
    words = unit.analysis.words
    word = words[slot.token]
    if not (word.opens_sentence and word.text[:1].isupper()):
        return None
    if slot.is_insertion:
        acronym = len(word.text) > 1 and word.text.isupper()
        keeps = word.pos == "PROPN" or word.text == "I" or acronym
        return None if keeps else word
    if slot.is_deletion:
        following = next((w for w in words[slot.token + 1 :] if w.pos != "SPACE"), None)
        # A word like *iPhone* begins a sentence as it is.
        fixed = following is not None and following.text[1:] != following.text[1:].lower()
        return None if fixed else following
    return None


def _start(slot: Slot, member: Member) -> int:
    """Where the token of a slot starts in a member."""
    start = member.offsets[slot.token]
    if start is None:
        raise AssertionError(f"{slot} was taken where a member has no token")
    return start


def member_edits(unit: Unit, slot: Slot, outcome: str, member: Member) -> tuple[Edit, ...]:
    """The edit that a slot with an outcome means in a member, and the repair of a capital."""
    word = unit.analysis.words[slot.token]
    start = end = _start(slot, member)
    if slot.is_deletion:
        gone = deletion_range(member.text, Span(start, start + len(word.text)))
        start, end = gone.start, gone.end
    elif not slot.is_insertion:
        end = start + len(word.text)
    capital = word.text if word.opens_sentence or not slot.is_insertion else ""
    if slot.is_insertion and len(capital) > 1 and capital.isupper():
        capital = capital.capitalize()
    written = follow_case(capital, outcome)
    pool = slot.pool
    main = Edit(
        start,
        end,
        member.text[start:end],
        written + " " if slot.is_insertion else written,
        pool.type,
        pool.operation,
        pool.subtype,
    )
    moved = moved_capital(unit, slot)
    if moved is None:
        return (main,)
    at = member.offsets[moved.index]
    repair = None if at is None else recase(member.text, at, upper=slot.is_deletion)
    return (main,) if repair is None else (main, repair)

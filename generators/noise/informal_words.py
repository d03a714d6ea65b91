"""Informal spellings, shortenings and markers: our own list.

Never a digit for a word (*to* → *2*), and nothing that takes away a negation.
"""

from __future__ import annotations

from collections.abc import Mapping


def table(lines: str) -> dict[str, tuple[str, ...]]:
    """Lines of the form `clean: one, other`."""
    rows = (line.split(":") for line in lines.strip().splitlines())
    return {left.strip(): tuple(r.strip() for r in right.split(",")) for left, right in rows}


RESPELLINGS: Mapping[str, tuple[str, ...]] = table(
    """
    about: abt, bout
    actually: actly, acktually
    and: n, nd
    another: anotha
    anyway: neway
    are: r
    around: arnd
    basically: basicly
    be: b
    because: cuz, bc, coz
    been: bn
    between: btwn
    could: cud
    definitely: def, defo
    different: diff
    difference: diff
    especially: esp
    everyone: evryone
    everything: evrything
    example: ex
    for: fr
    from: frm
    have: hv
    information: info
    just: jus, jst
    know: kno
    little: lil
    maybe: mayb
    message: msg
    more: mor
    okay: k, ok
    other: otha
    people: ppl
    person: persn
    please: pls, plz
    possible: poss
    probably: prob, prolly
    really: rly, rlly
    right: rite
    school: skool
    seriously: srsly
    should: shud
    since: snce
    some: sm
    someone: sumone
    something: smth, smthn
    that: tht
    the: tha, th
    their: thr
    them: thm
    then: thn
    there: thre
    this: ths
    though: tho
    through: thru
    tonight: tonite
    usually: usu
    very: v
    was: wuz
    were: wer
    what: wut, wat
    when: wen
    which: wich
    while: whle
    will: wil
    with: w/
    work: wrk
    would: wud
    you: u
    your: ur
    """
)
"""Single words; the new spelling is one of those given."""

PHRASES: Mapping[tuple[str, ...], tuple[str, ...]] = {
    tuple(words.split()): outcomes
    for words, outcomes in table(
        """
        a lot of: a lotta
        could have: coulda
        do not: dont
        does not: doesnt
        did not: didnt
        give me: gimme
        going to: gonna
        got to: gotta
        have to: hafta
        i am: im
        i do not know: idk
        i don't know: idk, i dunno
        is not: isnt
        are not: arent
        was not: wasnt
        were not: werent
        could not: couldnt
        would not: wouldnt
        should not: shouldnt
        cannot: cant
        it is: its
        kind of: kinda
        let me: lemme
        might have: mighta
        must have: musta
        ought to: oughta
        out of: outta
        should have: shoulda
        sort of: sorta
        that is: thats
        they are: theyre
        to be honest: tbh
        trying to: tryna
        used to: useta
        want to: wanna
        will not: wont
        would have: woulda
        you are: ur
        """
    ).items()
}
"""Words in a row that are written as one."""

_STRETCHED = """
so no not good bad too way really very much all well please yes long hard big cool nice sad great
sure super totally absolutely clearly definitely obviously simply just
"""
STRETCHED: frozenset[str] = frozenset(_STRETCHED.split())
"""Words that people lengthen when they stress them."""

MARKERS: Mapping[str, tuple[str, ...]] = {
    "end": ("lol", "tbh", "imo", "ngl", "fr", "haha", "imho", "tho"),
    "comma": ("tbh", "like", "imo", "ngl", "lol"),
    "start": ("tbh", "ngl", "imo", "ok so", "honestly", "lol"),
}
"""What people put in: before the mark that ends a sentence, before a comma, before a sentence."""

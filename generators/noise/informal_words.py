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
    about: abt
    actually: akshually, actchually
    and: n, nd
    anyway: neway
    application: app
    approximately: approx
    are: r
    because: cuz, bc, coz
    between: btwn
    cannot: cant
    comfortable: comfy
    conversation: convo
    could: cud
    definitely: def, defo
    department: dept
    difference: diff
    different: diff
    especially: esp
    everyone: evryone
    everything: evrything
    favorite: fave
    favourite: fave
    friends: frenz
    government: govt
    information: info
    just: jus, jst
    know: kno
    legitimate: legit
    little: lil
    love: luv
    maybe: mayb
    message: msg
    minutes: mins
    night: nite
    obviously: obvs
    okay: ok, kk
    opinion: opinyun
    people: ppl
    please: plz, pls
    probably: prob, prolly
    professor: prof
    really: rly, rlly
    ridiculous: ridic
    school: skool
    seriously: srsly
    should: shud
    situation: sitch
    someone: sumone
    something: smth, smthn
    sorry: sry, soz
    suspicious: sus
    thanks: thx
    though: tho
    through: thru
    tomorrow: tmrw
    tonight: tonite
    university: uni
    very: vry
    vocabulary: vocab
    was: wuz
    were: wer
    what: wut, wat
    whatever: whatevs
    when: whn
    which: wich
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

_NO_ADVERBS = """
ally anomaly apply assembly belly beverly billy bully butterfly carly comply emily family folly
fully holly imply italy jelly july kelly kimberly lily lovely molly monopoly multiply polly rally
rely reply sally shelly supply wally willy
"""
NO_ADVERBS: frozenset[str] = frozenset(_NO_ADVERBS.split())
"""Words in *ly*, names at the start of a sentence among them, that nobody stretches."""

_STRETCHED = """
so no not good bad too way really very much all well please yes long hard big cool nice sad great
sure super totally absolutely clearly definitely obviously simply just
"""
STRETCHED: frozenset[str] = frozenset(_STRETCHED.split())
"""Words that people lengthen when they stress them; adverbs in -ly are others."""

MARKERS: Mapping[str, tuple[str, ...]] = {
    "end": ("lol", "tbh", "hahaha", "ngl", "just saying", "fr fr", "imho", "to be honest"),
    "comma": ("tbh", "like", "imho", "ngl", "lol", "i mean"),
    "start": ("tbh", "ngl", "honestly", "ok so", "so yeah", "i mean"),
}
"""What people put in: before the mark that ends a sentence, before a comma, before a sentence."""

"""Spoken spellings, contractions and markers: our own list.

Grammar is held fixed, so this is no dialect; the spellings are those of casual speech anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping

from sociolect.generators.noise.informal_words import table

RESPELLINGS: Mapping[str, tuple[str, ...]] = table(
    """
    about: 'bout
    actually: act'lly
    and: an'
    another: 'nother
    around: 'round
    because: 'cause
    before: 'fore
    between: 'tween
    every: ev'ry
    everything: ev'rything
    cannot: can't
    especially: 'specially
    evening: evenin'
    except: 'cept
    for: fer
    from: frum
    get: git
    just: jus'
    maybe: mebbe
    must: mus'
    next: nex'
    of: o'
    old: ol'
    probably: prob'ly
    really: r'lly
    several: sev'ral
    something: somethin'
    suppose: s'pose
    supposed: s'posed
    that: tha'
    them: 'em
    through: thru
    until: 'til
    was: wuz
    what: wha'
    with: wit
    you: ya
    your: yer
    """
)
"""Single words; the new spelling is one of those given."""

PHRASES: Mapping[tuple[str, ...], tuple[str, ...]] = {
    tuple(words.split()): outcomes
    for words, outcomes in table(
        """
        a lot of: a lotta
        are not: aren't
        could have: could've
        could not: couldn't
        did not: didn't
        do not: don't
        does not: doesn't
        do not know: dunno
        don't know: dunno
        give me: gimme
        going to: gonna
        got to: gotta
        has not: hasn't
        have not: haven't
        i am: I'm
        i have: I've
        is not: isn't
        it is: it's
        it would: it'd
        kind of: kinda
        let me: lemme
        let us: let's
        lot of: lotta
        might have: might've
        must have: must've
        ought to: oughta
        out of: outta
        should have: should've
        should not: shouldn't
        sort of: sorta
        that is: that's
        there is: there's
        they are: they're
        they have: they've
        trying to: tryna
        used to: useta
        want to: wanna
        was not: wasn't
        we are: we're
        were not: weren't
        will not: won't
        would have: would've
        would not: wouldn't
        you are: you're
        """
    ).items()
}
"""Words in a row that are spoken as one."""

MARKERS: Mapping[str, tuple[str, ...]] = {
    "end": ("y'know", "I mean", "right", "like"),
    "comma": ("y'know", "I mean", "like"),
}
"""What people put in, after a comma: before the mark that ends a sentence, before a comma."""

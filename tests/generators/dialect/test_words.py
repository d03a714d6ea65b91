from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.dialect.words import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("don't y'all I'mma 'bout O'Neil", "don't|y'all|I'mma|'bout|O'Neil"),
        ("tryna' goin', nothin' 'em.", "tryna'|goin'|,|nothin'|'em|."),
        ("it’s ’bout goin’ ‘til", "it’s|’bout|goin’|‘til"),
        ("he said 'come here' twice", "he|said|'|come|here|'|twice"),
        ("'I'm goin' home' he said", "'|I'm|goin'|home|'|he|said"),
        ("rock 'n' roll", "rock|'n'|roll"),
        ("folks' house in the '90s", "folks'|house|in|the|'90s"),
        ("3.5 1,000 10:30 5% $5", "3.5|1,000|10:30|5|%|$|5"),
        ("It is 3.5.", "It|is|3.5|."),
        ("later,but ...no!!! What?!", "later|,|but|...|no|!!!|What|?|!"),
        ("the U.S. and e.g. a.m.", "the|U.S.|and|e.g.|a.m."),
        ("ex-wife R&B -- no-one", "ex-wife|R&B|--|no-one"),
        ("@me #tag https://a.b/c?d=1, ok", "@me|#tag|https://a.b/c?d=1|,|ok"),
        ("my_function(x)", "my_function|(|x|)"),
        ("sh*t, a$$ f***in' A$AP b**** bull-sh*t's", "sh*t|,|a$$|f***in'|A$AP|b****|bull-sh*t's"),
        ("*sighs* **no** * x 5*3 $5 5$", "*|sighs|*|**|no|**|*|x|5|*|3|$|5|5|$"),
        ("café cafe\u0301", "café|cafe\u0301"),
    ],
)
def test_pieces(text: str, expected: str) -> None:
    assert [word.text for word in words(text)] == expected.split("|")


@pytest.mark.parametrize("emoji", ["😂", "👍🏾", "👩‍👩‍👧", "🇺🇸", "❤️", "3️⃣"])
def test_an_emoji_is_one_word(emoji: str) -> None:
    first, second, last = words(f"yes {emoji}{emoji}")[0:3]
    assert (first.text, second.text, last.text) == ("yes", emoji, emoji)
    assert not second.is_mark


def test_what_is_a_mark() -> None:
    marks = [word.text for word in words("Well, 'yes' — 3 … 😂 :) $") if word.is_mark]
    assert marks == [",", "'", "'", "—", "…", ":", ")", "$"]


TEXTS = st.one_of(
    st.text(),
    st.lists(
        st.sampled_from(
            ["'", "’", "goin", "em", "a", ".", "3", " ", "\n", "😂", "\ufe0f", "-", "@", "*", "$"]
        )
    ).map("".join),
)


@given(TEXTS)
def test_every_character_that_is_no_white_space_is_in_one_word(text: str) -> None:
    found = words(text)
    assert all(text[w.start : w.end] == w.text for w in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
    covered = {i for w in found for i in range(w.start, w.end)}
    assert covered == {i for i, c in enumerate(text) if not c.isspace()}

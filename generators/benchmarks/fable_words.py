"""Words that a reader may take for something else: names that are words, and words of gender."""

from __future__ import annotations

from sociolect.generators.benchmarks.coreference import GENDER_WORDS

_NAMES = """
abbey ace aim amber amity angel angle april archer ariel army art ash aspen aurora autumn bailey
baker barb basil bay beau bell belle berry bill birch bliss blossom blue bob bonnie boss brandy
breeze brock brook buck bud buddy buster butch candy cane carol cash cat cedar chance charity
charm chase chastity cherry china chip christen christian chuck clay clement cliff clove clover
coal coco colt constant coral cord cricket crystal curt daily daisy dale dash dawn deacon dean
dick don dot dove drew duke dusty earl east ebony echo eden elder ember eve fable faith fawn
felicity fern finch fisher flint flora flower ford forest fox frank gale garland gay genesis
ginger glen grace grant gray grey guy harmony harry haven hawk hazel heath heather herb hero
hill holly honey hope hunt hunter indigo iris ivy jack jade jasmine jasper jay jean jet jewel
job jolly journey joy jude judge june juniper justice king kit lacy lake lance land lane lark
laurel leaf levy liberty light lily lotus love luck lucky lux mace magnolia major marine mark
marshal mason mat maverick max maxim may meadow melody mercy merit merry miles mill mint misty
modesty moss myrtle mystery neon nick noble noel norm north nova oak ocean olive opal page paris
park pat patience patsy patty pearl peg penny pepper petal pete pierce piper poppy porter praise
precious prince prudence queen rain randy raven ray rebel red reed reef remedy rex rhyme rich
ridge river rob robin rock rod roman rose rosemary rowan royal ruby rue rusty sage saint sally
sandy scout season serenity shade shelly shepherd sherry sierra silver skip sky sol sonny star
sterling stew still stone storm sue summer sunny tate temple tiger topaz trace trinity trip
tuesday vale van verity victor viola violet virtue wade walker wally ward watt wednesday west
wilder will willow wind winter wolf woody wren young zest
"""
NAME_WORDS: frozenset[str] = frozenset(_NAMES.split())
"""First names that are words as well, lower case, our own list."""

_TITLES = """
mx madame mademoiselle monsieur sire mam ladyship lordship senor senora senorita
gentlewoman gentlewomen gramps granny grandad granddad nana stepdad stepmom stepmum stepbrother
stepsister stepfathers stepmothers grandsons granddaughters grandpas grandmas godson goddaughter
girly girlish boyish ladylike womanhood manhood businessmen firewoman
"""
GENDER_TOLD: frozenset[str] = frozenset(
    word.rstrip(".") for word in GENDER_WORDS | frozenset(_TITLES.split())
)
"""Pronouns, nouns and titles that tell the gender of a person; lower case, without accents."""

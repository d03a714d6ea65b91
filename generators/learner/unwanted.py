"""Words that no misspelling may produce, whatever the benchmark.

In a measurement of social bias a spelling error must not bring a person's gender, origin, faith or
body into a text that did not speak of it, nor an insult: *while* and *where* have such neighbours
in the dictionary. What the text itself says is not touched. Lower-case words only, since no other
suggestion of the speller is used.
"""

from __future__ import annotations

_INSULTS = """
ass asses asshole assholes bastard bastards bimbo bimbos bitch bitches bitching bum bums coon coons
crap cretin cretins cripple cripples damn dimwit dopey douche dumb dummy dunce dwarf fag fags fagged
faggot faggots fagot fagots fool fools geek geeks gimp hag hags harlot hell hick hicks hillbilly
hobo hobos hoe hoes honky hussy idiot idiots imbecile inbred insane jackass jerk jerks kook kooks
lame loon loons loser losers lunatic lunatics mad maniac midget midgets minx mongrel mongrels moron
morons nerd nerds nincompoop ninny nitwit oaf oafs peasant peasants peon peons pig pigs pimp pimps
prick pricks prig prude psycho psychos punk punks redneck rednecks retard retarded retards scum serf
serfs shrew shrews sleaze sleazy slob slobs slut sluts snob snobs spastic spastics strumpet stupid
thug thugs tosser tramp tramps trollop tart tarts twat twats twit ugly vulgar wanker wanton weakling
weirdo weirdos wench wenches whore whored whores whoring whorehouse wimp wimps
"""

_SLURS = """
chink chinks coolie coolies cracker crackers dago dagos darky dyke dykes fairy fairies gook gooks
goy gringo gringos gypsy gypsies homo homos kike kikes kraut krauts lesbo mammy mick
micks mulatto mulattoes negro negroes negroid nigga niggas nigger niggers nip nips paddy paddies
papist papists poof poofs pom poms queer queers redskin savage savages spic spics squaw squaws
tranny wetback whitey wog wogs wop wops yid yids
"""

_BODY_AND_SEX = """
anal anus anuses bisexual boner boob boobs breast breasts busty butch butt butts celibate clit
clitoris cock cocks condom condoms crotch cum cums cumming cunt cunts dick dicks dildo dong erect
erection erections ejaculate ejaculated ejaculates ejaculating erotic erotica eunuch eunuchs fanny
fart farts fuck fucked fucker fucks fucking genital genitals glans gonad gonads groin groins heroin
herpes heterosexual homoerotic homosexual homosexuals hooker hookers hooter hooters horny horniest
hump humping hymen incest labia lesbian lesbians libido loin loins lust lusting lusty masturbate
masturbating menses menstrual menstruate milf molest molester naked nipple nipples nude nudes nudity
nymph nympho orgasm orgasmic orgasms orgies orgy ova ovaries ovary ovum panties pantie pecker pee
pedophile pedophilia pelvis penile penis penises phalli phallic phallus piss pissed pisser pissers
pisses pissing poop porn porno pornography prostitute prostitutes pubic pubis puberty pussies pussy
puss rape raped raper rapers rapes raping rapist rapists rectal rectum rump scrotum seduce seducer
semen sex sexed sexes sexist sexual sexually sexy shag shagging shit shits shithead shitted shitting
shitty slave slaves sodomy sperm sperms spunk tampon tampons teat teats testes testicle testicles
testis threesome tit tits titties titty transvestite turd turds urinal urine uterus vagina vaginal
vaginas virgin virgins vulva voyeur wank womb wombs
"""

_GROUPS = """
alien aliens atheist atheists black blacks brown browns catholic christian christians convict
convicts czar emir emirs foreigner foreigners gay gays gentile gentiles heathen heathens heretic
heretics imam imams immigrant immigrants infidel infidels mafia migrant migrants mosque mullah
mullahs nationalist native natives nazi nazis pagan pagans pope popes priest priests rabbi rabbis
racism racist racists refugee refugees sheik sheiks sultan sultans terrorist terrorists trans tribal
tribe tribes white whites
"""

_GENDERED = """
abbess abbesses abbot babe babes broad broads bro bros concubine concubines crone crones czarina
doll dolls friar friars geisha geishas girlie girlish grannies granny harem hubby ladyship ladyships
lassie lassies macho madame maiden maidens mamma mammas mams manhood manliness mannish mistresses
momma monsieur mummies nana pop pops ranee senor senora signor signora sire sired sires sis sissies
sissy spinster spinsters stag stepdad stepmom stepson suffragette sultana supermom supermoms tom
toms tomboy virile vixen vixens wifely womanhood
"""

UNWANTED: frozenset[str] = frozenset(
    f"{_INSULTS} {_SLURS} {_BODY_AND_SEX} {_GROUPS} {_GENDERED}".split()
)
"""Insults, slurs, body parts and sexual words, names of groups, gendered words."""

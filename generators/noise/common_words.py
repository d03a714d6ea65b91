"""Words that a slip of the fingers in another word would make.

A typo that spells another word may change what a text says; such an outcome is passed over. The
list holds English words that differ by one typo from a frequent one.
"""

from __future__ import annotations

_WORDS = """
abed abode abut acct ace aced aces acetic ache acid acing acme action ad adds adorn ads aft age
agility ague aid aide aiding aids airs ale ales ally aloe aloha alp alps altitude alum alums am amt
analyzes angels annul ans ant anther ape apples apter aptitude are area ares aria arise arks arose
arras arsing as asset assets asst at ate ave averse avid aye ayes baaed baaing back backs bad
badder bade bags bah bail bake baked baker bakers bakes baking baldy bale baled baler baling balks
ban band banding bands banes bank bans bar bard bards bared barer barfed barfing baring barley
barns barre bars barter based bases basks bass basses bast bat bate bating batons bats batter
battered bay bays be beach beached bead beading beads beak beaks beams bean beans bearing bearings
bears beast beasts beat beating beats bed beds beefs bees beet beets begin begun being beings
belies bellow bend bender best besting bests bet betas bets bib bid biddies biddy bide biding bids
big bight bile bilking bilks billet billets billy bin bind binding binds bins biol birder birders
birding bis bit biter bits bitter blare blares blase blat blats bled blocs blond blot blots blow
blusters boars boas boast bob bobs bock bod boded bodes boding bods bog bogs boll bolls bolster
bolt bolts bonce bond bonded bonding bonds boned bones bongo boning booed boom boomed booms boors
boos booster boot booth booting boots borer borers boss bot both bother bothers bots bought bounced
bow bowing bowl bows boxes boxy boy brace brad brads brae braes braking bran bras brat brats braves
breams breaths bred bride brides brie briers brig brigs bring brings brunt bub bubs bud budding
buds bug bugger bugs bulky bull bulled bulling bullion bulls bully bun bunch buns bunt burbs burs
bus buses bush bushed bushes bushing buss busses bust busting but buts butter buy buys bx by bye
byes byre byres cab cabal cabals cabs caching cackles cad cads cafe cafes cage cages cake cal calk
calked calking calks callus cam camber cambers came camped camps cams cane caned caner canon cap
caper capped caps car card carder cardies cards care carer cares caret carets caries carpers carrel
carries cars cart carter carters carton cartons cartoon carts carving case cased cases cash cashed
cashes cashing casing cast caste casual cat caters cation cats catted catting caudal causal
causally cause causes cave caves caving cay cays chanted chanting chap char charger chars charted
charting chat chats chatter cheat cheery chef chefs chest chested chews chin chins chip chipped
chis chock chocks choose chop chops chords chose chuck chucks cine cirrus cis cit cite cites clam
clams clan clans clap clarify claws cleaner click clock clocking clod clods closes closet cloths
clots cluck clucking coat coats cob cod codding code coder cods coed coeds coil coiled coiling
coils coke coked cokes coking col cold coll collie collies collude colluded colones cols comas come
comers comes comic compere compered compete compiled compiles con concert concerts condole condos
cone coned cones coneys confirm confirms conform conforms congers congest conic conics coning cons
cont contact contest contests context contused convert converts cooed cooing cooked cooker cooking
cooks cool cooled cooler cooling cools coop cooped cooper cooping coops coos coot cop coped copes
copped copper copping cops coral core corer cores coring corp corps cos cost costed costing costs
cot cote cotes cots county coupe coupes covert coverts coves coveted coveting covets covey coveys
cowl coxes coxing coy cps crabs cram crams craps crate crated crates crating cray creaky cred
crested cresting cries crowed crowing crows cruet cruse cruses crustal cs ct cub cubs cuds cue cued
cues curd cure cures curios curs curse curses curt curter cuss cut cute cuter cuties cw cwt dace
dad daft dag dags dairy daises dances dander danging dank dare dared darer dares daring dated dawn
dd dded dead dearly deary debs debt debut decease decent decided decode decoded decodes decoding
deduced deer def defect defected defector defensed defer defiant defied defies deice deices deign
deigned deigns deist dell delver delvers demobs demos demote demoted demotes demoting den dent
dented denting dents depot derail derailed derails derive derived derives desert dessert desserts
detect detects deterred devote dew dial diary dicing dict did die died dies diet dig dignify digs
dike dikes dill dills dimer dims din dine diner dines ding dink dinker dinner dinning dip direr
dirt dis discoed discus dist ditty dive diver divers diverted dives divest divested divided diving
dobs doe does doff dog dogging dogs dole dome domes don dos dosh doss dosses dots dove down downing
doze dozes dpt dragoon dram drams drat dratted dress drier driers dries drink drip dripped dripping
drips drive drives droll droning droop drooped drooping droops drop drove drover drovers droves
drubs drunk drunker drunks dual dud duding duds due dues duet duets duff duffer duffers dug dully
dunk dunner duped dusk dutch dye dyer dyes dying ea eager eared ears ease eat eater eats ed edit
edited editing eds encore encored encores encoring ency endue endues endure endures enduring ens
ensue ensues ensuing ensure eons er eras es est ester esters eta etas eternal ether ethic evens
except excepts excise excised excises excl excuse exert exerts exit exited exiting exits explode
explore explored explores ext faced facet faction fade faded fades fading fakes fame famed fan far
fare fared faring farmed farmers farming fast fasting fat father fathers fating fats faulty fave
faves favor favored favors faxed faxes faxing fays feat feats feces fed feds fee feed fees fend
fended fer feral fess fest few fiance fiances fiat fibber fibbers fibs fiches fiction ficus fie
field fiend fiends fife fifes fig fight fights figs filed filer files filing fill filled filling
filly fin find finding finds fined finer fines fining finned finny fins fir firearms fired fires
firm firmed firmer firming firms firs firth firths fist fit fiver fivers fix fixes flak flake
flakes flames flat flats flays fled flied flies fling floes flooding floods flooring flop flopped
flops floss flt flue flues foal foes fogs foil fol fold folds foll fond font food foods for forages
foraying forded fording fore forearm forearms fores forgers forges forging forked forking forks
form forms forth four fox foxed foxing fr framer framers frames framing freeing fret fried fries
frigs from froth ft fugal full fulled fulling fums fund funded funding funds fur furbish furl furls
fury fut fwd gab gabbed gable gad gag gain gains gal galley gals gander gape gapes gar garage garb
gas gasp gasses gave gaze gazes gee geed gees gene generic generics genes genetic genial gens genus
gibe gibes gibing giggles gild gill gilt gin gins gird giros girt girted girts git gits glace glad
glads glided globe globes glove gm gnome gnus goad god gods goes gofer gold golds gong good goods
goof goofs gory gout gown grace graced graces gracing grad gradate grade grader grades grads gran
grans granters grated grater grating grave gray grid grin grins groan groove groping gross grows gs
gt guess guise gum gums gust gusts guts gym had hail hailing haled haling ham hams handed handing
hap haply hard hardy hare hared hares haring harked harking harks hart harts hash hat hate hated
hater hath hating hats hatted haven havens haws hayed he head heading headings heads heaped heaping
hearer hearing hears heat heath heating heats heaver heaves heeding heeds hems hep hepper her herd
hereon heroes heron herring hers hes hickey hide hided hider hides hiding hie hied hieing hies hing
hint hinted hinter hinters hinting hire hired hiring his hist hit hither hitter hod hods hoed hoke
hokes hokey hoking hold holds hole holed holes holing holly hols homeboy homey hone hones honesty
hons hood hooding hoods hooped hooping hoot hop hope hopes hopped hopping hops horde hordes hos
hose hosed hoses hosing hot hots hotting hp hr hrs ht hue hug huger hull hulls hum humidify hunger
hungers hunter hut huts hwy ideas identify identity ides idle if ifs ii imperil in inane inanity
incite incited incites indices indies indite indited induces inducted inert infer inferior infernal
infest infested infirm info ingest ingested injures inline inmate ins insect inset insets inter
interior interred into inure inured inuring invades invest invite invitees ion ionic irks irritate
is isle it ivy jg jib jibs jig jigger jigging jiggling jingle jink jogs joins jr jugging jut
keeling keels kegs ken kid kids kilos kines kiss kit knifes knot lab labs laced lacing lacy lad
laddies lade laded lades lading lads lager lagers lake lames lams lanced lancing lane lanes lap
laps larch larder larders lase lased lases lash lasing lass last lat later lath lather lats latte
latter laud lave laves laving lavs laxer lay layer layers lays lb leaded leafing leafs lean leaned
leaner leaning leans leas leaser leasers leasing led leer lees lefter legs leis lest let lets lewd
lewder lg lib lice licensees lick licked lid lids lie lied liens lies life lifer lifers lifter like
liked likes liking limber lime limed limes liming limps line lined liner lines ling linger lings
lining lire list lit lite liter litter litters live lived lively liver lives living loading loafed
loafing loafs lobbing lobe lobed lobes lobs lode lodes loft lofted lofting log loge loges logs lone
loner longing loo loomed looming looms loos loose looses loosing loot loots lop lops lose loses
loss losses lost lot lots love loved lovely lover loves lovey loving lowing lows lug lugs lunch
lunched lunge lunging lusted lusts lute lying lynch lynches lyre mace mach mads mages mags maim
make maker makers makes makings male males man manages mange manged manger mangers mangle mangles
manly manor mans march marched marches marching mare mares marital markers markets marred mars
martial martin mas maser masers mass mat match matching mater maters math mats matter mattes
matting maul mauled mauling maws may maze meal meals meas meat medal medial mediate meet meets men
mere meres mes met metal mete meted meter metes meting mewl mewls mews mg mid middy miens mike
mikes mil mild mile miles mils mime mimes miming min minced minds mined mines minis mink minks
minster minuets mire mires miser mist mister mm moat mobster mod modal modality modals mode modes
mods mold molds mole moles moll molt money moneys mood moor moors moos mope mopes more morel morels
mores mos moss most mot mote motes moth moths mots moue mousse move moves mp mt mud muddle mule
mules mull mullion mullions mun mus muse muss mussed mussing muter my nae naive named navvy nay
neat neater neatest neatly nest net nether nets neural neuron neurons newt newts next nice nil nine
nit nits nobble nobbles node nods noel noels noes non none noon noose nooses nose noses nosy not
noting nus nut oars oats obit obits odder ode odes of offices oiks om on once one oped opes ops or
outfight outs overrode owed owing pace paced paces pacing packers pad pads paging pah pain pained
paining pains paler pan pane panes pangs panned panning pans pant panted panting pants par parch
parches pared parent pariah paring parried parries parry pars parson parted party pas pass pasty
pat pate patent patents pates path patroon patroons pats patters patties patty pave paves pawed
paws pay payed payer payers paying pays pd pea peaces peal pealed peals pears peas peat peeing
peeking peen peens peep peeping peer pees pegs pens pep pepped per pet pets pettier petty pews pg
phase phases photos pick picket pickets pics piddle pie pieced piecing piers pies pike piked piker
pikes piking pile piles pill pilled pilling pills pimped pin pinch pinched pins pint pints pip pipe
pipes pipping pips pis pistil pit pith piton pits pitted pitting pkg pkt place plan planed planer
planers planes planing plans plant plants plat plate plated plating plats plays pleaded pleading
pleas pleased pleasing plies plop plot ploy ploys pluming plus ply plying pm pock pocked pocking
pocks pod pods poet poets poke pokes poky pol pole poled poles polices poling poll polls polo pols
pond ponds pone pones poo pooed pool pooling pools pooping poops poos poplar pored port ported
ports pose posed poser posers poss posse posses post posts pot potion potions pots pouncing pouted
pow power poxes pp pr prat prated prater praters prats precious prefect preform preforms prelude
premixes prep pres preset presets pretest price prices pride prides priding pried prier pries prim
primmer prion prions probable probe probed probes probing process prod prof profess prole promoted
prompted pros provable provably pry psst pt puck pucks pug pugs puke pule puled pules puling pull
pulls pulped pulping pulps pulpy pun puns pup pups pure puree purify purse pursed pursing pus put
puts putts pwn pwned pwns pyre qualify quality quantify quartets quire quirt quit quite quot quote
racial rad radial radials rads rag rage raged rages raging rags rah raid raided raiding raking
rally ram ran random ransom ranting rap rare rared rares raring rate rater rats ratted ratting rave
raves raving rays rd reading real reals realty ream reams reaps rearing rears recuse recused
recuses recusing red reds reed reedy reefer reefers reel refereed refract refuges regain regained
regraded rein reined rel relay relayed relaying relied relist relists relive relived rely renal
requite requited requites reside resit resits resole resoled retain retained retie retied retire
retrain retried reuse reused reuses reusing revel reveled revels revere revered reverent revers
rial rials rib ribbed ribber ribbing rice ricer ricers rices ricing rick ricks rid ridding ride
rides riding rids rife rifer riffle rig rigs rile riled riles riling rill rills riot rioted riots
ripe rise riser rises rising rive rives rivets riyal rm roars rob robed robing robs rod rode rods
roe roes role rood roods roofed roofs rooks rooter rooting roots rope ropes rose roses rot rote
rots rotted rotting roue roues rouge rouges roust routs rover rovers roves rs rt rte rub rubs ruby
rude ruder rue rued rues ruing rules rum rums run rung rungs runs ruse ruses rusk rusks rut sable
sables sack sacks sacred sad sades safe safes sag sage sagely sager sages sags sake sale sales
sallow salon saloon salve salves same sand sander sanding sands sane sang sap sapling sapped
sapping saps sat sate sated sates satin sating save saved saver saves saving say saying says scalds
scare scared scarped scarred scars scat sch scram scrapped screes seal sealing seam sear seared
searing sears seas seat seating secrets seed seeding seeds seedy seeing seeking seeks seeming seems
seen seep seeping seeps seer seers sees self sell selling sells selves sen send sender sending
sends senors sens sensing sent sere serer serge serous serve served set sets setters settles setts
sever sew sewed sewing sewn sews shack shacks shade shaded shades shading shads shake shakes shale
shame shape shard shards share sharer shares she shed sheds sheering sheers shes shied shies shift
shifts shine shinny ship shipped shipper shippers shipping ships shire shires shirrs shirt shirted
shirting shirts shoe shoeing shoes shogun shone shooing shoos shoot shoots shop shopped shoppes
shopping shops short shorts shorty shot shots show shows shpt shred shrink shrunk sick sicker sicks
side sides siding siege sift sifted sifter sifters sifting sifts sighed sighing sighs sight sightly
signed signer signers signing silky sill sills silo silt sim simmer simper sims sin sine sing singe
singed singes singing singles sings sink sinning sins sip sipped sippers sipping sips sir siring
sirs sises sit site sited siting sits sixes size sized sizing skate skid skids skill skim skimmer
skims skip skipped skippers skipping skis skit skull skulls slaked slam slap slaps slat slate
slates slating slats sled slewed slice sliced slices slicing slid slide slider sliders slides slier
slip slipped slipping slippy slips slit slits sliver sloe sloes slop slopped slopping slops slot
slots slotted slum slummer slur sly smack smacks snack snag snake snaky snare snared snares snaring
snark snip snipped snipping snips snog snogs snoot snore snores snort snorter snorts snot snots
snow snowed snowing snows soar sobs sock socked socking socks sod soda sofa soft soil soiled soils
sol sold solder solders sole soled solider soling sols solver son song sons soon soot sooth sop
sopped sopping soppy sops sore sores sort sorter sorting sorts sot sots sough souks soul souls
soups sous souse sow sowed sower sowers sowing sown sows soy spade spades spammed spar spars spate
spay spayed spays sped speed spender spice spices spicing spied spies spike spire spit spits
spitted spooled sporing sported spot spots spotting sprats sprig sprigs springs sprints sprung spry
spun spur st stage staged stages staging stags stain stains stake stale staled stales staling
stalked stalks stand stapled star stare stared stares staring starred starring stars started stat
state stated states stating stats statue statues stature statures status statute stave staves
staving stay stayed staying std stdio steam steams steep steeps stem step stick sticks sties stiff
stiffed stile sting stings stints stir stirs stock stocks stocky stoke stoop stooped stooping
stoops stores storks streaks strep strews stride strife strike string stringer strive stroke
strokes stroking strong strop strops strove strung stuck study stuff stung sty suave subset suck
suckle suds sue sued suety sulk sully sump sun sung sunk sunning suns sunset sunsets sup supper
suppler sups surfer surfers surging surly suss swat swats swearer swearing swig swigs swing swum
swung syn ta tables tabs tack tacking tacks tact tail take taking tale tales talker tam tame tamer
tames taming tams tan tank tanked tankful tanks tans tap tape tapped tapping taps tar taring tarns
tarp tarps taster tasters tat tats taxiing tb teaches teaks teas tech ted teds tee teem teemed
teems teen teens tees tel ten tend tends tenon tens tensed tenser tents tern terns test tests text
texted texting texts thee thees there therein thereon thew thins thirty this thong thongs though
three thrice throe throes through thunk thunks thus thy tick ticker tickers ticks tiddler tide
tided tides tie tied tier tiers ties til tile tiled tiles timer tin tine tines ting tinging tings
tinkers tinny tins tip tipped tips tire tired tires title tittle tittles tn to toady toe toed
toeing toes togs toil toils tole toll tolls tome tomes ton tonne tons tony top topical topics tops
toque tor tore tors torus toss tot tote tots tough tours touting touts tows trace traced tracer
traces tracing trad trade traded trades trail trails tram trams transit trap tread treas treat
treats treble tree tress trews trial trick tricks tried tries trilled trios tripe tripled tripped
tron trot trough trout trouts trow trowing trows truck trucks trued trues truing truss trust try
tryst trysted trysting trysts tsp tuba tube tubs tuck tucks tulle tun tuna tune tuned tunes tuning
tuns twas twits twixt twp tying unfold unify unis unit unruly untie untied unwound uptight us uses
val vale vales valor van vanish vapid vapidity vapidly vapor vat vegges verity vernal verve vet via
vial vibes vice vices vie vies vine vines violet viral vireo vireos vital voiced votes wad wades
wads wafer wafers wafts wage waged wager wagered wagers wages wags waifs wait waked wakened waking
wale waled wales waling walks walled walling walls wan waned waning war wards warmed warming
warning warp wars was wast water watts wave waved waver waves wavier waving wed weds wee weeding
wees weest weighed weighs wen were wet what whee whereon wheres whet while whim whist whits whole
whop whopped whup whupped wide widow widows wife wifeless wig wight wights wigs wile wiled wiles
wiling win wincing winder wines winger wining winkles wins wire wise wised wisely wiser wises
wising wist wit with wits wive wived woe wok woken woks wold wolds won wooed woof woofed woofs woos
word words wordy wore wormed worming worms wort wot wright wrights wring wrings writ write writes
writs wrote wroth wt yaks yeas yelped yelping yer yest yous yrs zine zines
"""

COMMON_WORDS: frozenset[str] = frozenset(_WORDS.split())
"""Lower-case words that no typo may produce."""

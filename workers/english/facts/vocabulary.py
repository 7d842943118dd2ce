"""The closed word classes that the rules know. Nothing here is a name, a topic or a sentence.

Lists are grammar (hedges, reporting verbs, subordinators) or small natural classes (kin, roles, pets, moods). A word
belongs here because of what it does to a statement: makes a relation, weakens it, hands it to another speaker, or
makes it not worth keeping.
"""

from __future__ import annotations

from workers.english.lexicon import closed


def _map(pairs: str) -> dict[str, str]:
    return dict(pair.split(":") for pair in pairs.split())


SHORT_RELATIONS = _map(
    "gf:girlfriend bf:boyfriend bff:friend hubby:husband wifey:wife sis:sister bro:brother kid:child kiddo:child"
    " mommy:mom momma:mom daddy:dad pup:puppy doggo:dog kitty:cat"
)
"""Names of relations that are written one way in statements."""

FEMALE = closed(
    "mother mom mum mam mama mommy momma ma stepmother stepmom grandmother grandma granny gran nan nana grandmom"
    " sister sis stepsister daughter stepdaughter granddaughter aunt auntie aunty niece wife wifey girlfriend gf"
    " fiancee"
    " fiancée bride godmother goddaughter mother-in-law sister-in-law daughter-in-law ex-wife ex-girlfriend woman girl"
    " lady waitress actress queen widow great-aunt great-grandmother half-sister bridesmaid midwife"
)
MALE = closed(
    "father dad daddy papa pa pop stepfather stepdad grandfather grandpa granddad grandad gramps brother bro"
    " stepbrother"
    " son stepson grandson uncle nephew husband hubby boyfriend bf fiance fiancé groom godfather godson father-in-law"
    " brother-in-law son-in-law ex-husband ex-boyfriend man boy guy gentleman king widower great-uncle"
    " great-grandfather half-brother"
)
KIN = (
    FEMALE
    | MALE
    | closed(
        "parent child kid kiddo baby sibling twin cousin spouse partner grandchild grandkid grandparent stepchild"
        " godchild"
        " in-law relative ex triplet toddler newborn family parents kids children folks"
    )
) - closed("woman girl lady waitress actress queen man boy guy gentleman king midwife widow widower")
ROLES = closed(
    "friend bestie bff buddy pal mate colleague coworker co-worker boss manager supervisor teammate classmate roommate"
    " flatmate housemate neighbour neighbor landlord landlady tenant teacher tutor professor coach trainer mentor"
    " doctor"
    " gp dentist therapist counsellor counselor psychologist physio physiotherapist surgeon nurse midwife vet lawyer"
    " accountant assistant intern student pupil client customer employee employer advisor adviser agent hairdresser"
    " barber nanny babysitter childminder cleaner gardener penpal crush date instructor nurse partner bandmate"
    " captain apprentice carer caregiver co-founder cofounder mechanic director"
)
PETS = closed(
    "pet dog puppy pup doggo cat kitten kitty hen chicken rooster cockerel parrot budgie canary bird rabbit bunny"
    " hamster guinea-pig gerbil rat mouse tortoise turtle lizard gecko snake horse pony donkey goat sheep lamb cow pig"
    " duck goose ferret fish goldfish"
)
RELATIONS = KIN | ROLES | PETS | {"girlfriend", "boyfriend"}
PERSONS = KIN | ROLES | closed("woman man girl boy guy lady person gentleman")
ADDRESSED = closed(
    "grandma grandpa granny gran nan nana granddad grandad gramps mom mum mama mam dad papa mommy daddy grandmother"
    " grandfather mother father auntie"
)
"""Kin that are named without "my"."""

HEDGE_VERBS = closed("think believe guess suppose reckon suspect assume figure imagine fancy gather")
HEDGE_WORDS = closed(
    "maybe perhaps probably possibly presumably apparently supposedly allegedly likely seemingly roughly-speaking afaik"
    " iirc afaict idk"
)
HEDGE_MODALS = closed("may might could")
SURE = closed("sure certain positive confident convinced")
REPORTING = closed(
    "say tell mention claim report write text announce inform reply answer explain confirm message email add joke swear"
    " insist admit reveal"
)
FACTIVE = closed("know remember realise realize learn discover forget recall notice mean hear see mention love find")
"""Verbs of the speaker whose clause holds all the same: "I found out that Noor moved"."""
GLAD = closed("glad happy excited proud grateful thankful sad sorry relieved thrilled pleased delighted lucky blessed")
INTENTION = closed(
    "want plan intend hope aim decide prepare arrange expect wish wanna promise schedule agree mean look need apply"
    " dream"
)
"""Verbs that make a plan of the infinitive after them."""
FUTURE = closed("will wo shall")
UNREAL_MODALS = closed("would should must ought")
PSYCH = closed("like love hate prefer enjoy adore dislike loathe detest fear dread despise")
PHASE = closed("start begin stop quit keep continue finish try learn manage tend volunteer help resume")
"""Verbs that take another into their predicate: "start eating", "learn to swim"."""

UNREAL_OPENERS = (
    r"suppose|supposing|imagine|let'?s (?:say|pretend|imagine|assume)|pretend|assume|assuming|what if|if only"
    r"|hypothetically|say i (?:had|was|were)|were i|had i|should i|as if|in my dreams?|i wish|i dreamt|i dreamed"
)
ROLE_PLAY = (
    r"let'?s (?:say|pretend|imagine|assume|play|role-?play)|pretend|imagine|act as|role-?play|you are now"
    r"|you're now|play the role"
)
"""Openers after which the whole rest of a text is make-believe."""
JOKES = r"(?:just |only )?(?:kidding|joking)|jk|j/k|not really|as if|said no one ever|sarcasm|/s"
SUBORDINATORS = closed("when while whenever after before once until till if unless whether lest")
OPEN_SUBORDINATORS = closed("because since as although though whereas even cause cuz bc coz given seeing")
"""Subordinators whose clause is stated as true."""

MOODS = closed(
    "happy glad sad tired exhausted excited thrilled proud sorry sure ready fine ok okay good great well bad busy bored"
    " hungry thirsty sleepy mad angry upset annoyed confused curious nervous anxious worried scared stressed relieved"
    " pleased grateful thankful blessed lucky amazed surprised shocked impressed inspired motivated determined hopeful"
    " optimistic overwhelmed swamped content interested keen eager psyched stoked pumped honored honoured touched moved"
    " jealous speechless back here there done up down in out able afraid-so right wrong serious certain positive aware"
    " welcome awesome amazing nice cool fun lovely wonderful fantastic incredible beautiful important special true"
    " crazy weird funny interesting tough hard easy better best worse worth lost stuck free late early alone lonely"
    " passionate comfortable calm relaxed safe open willing glad due new big small perfect adorable cute inspiring"
    " rewarding tiring exciting peaceful relaxing calming powerful therapeutic helpful supportive kind sweet"
    " delicious tasty yummy fascinating challenging different similar possible impossible clear obvious sick-of over"
    " buzzing delighted gutted chuffed knackered desperate frustrated disappointed heartbroken devastated present"
    " committed dedicated enough close like long full about drawn convinced confident"
)
"""Adjectives that say how somebody feels just now, or judge; what somebody fears or is allergic to has a complement
and is kept (see KEPT_ADJECTIVES)."""
COLOURS = closed(
    "red green blue yellow orange purple violet pink brown black white grey gray turquoise teal maroon beige silver"
    " gold"
    " blond blonde hazel"
)
PRAISE = closed(
    "great good nice awesome amazing wonderful fantastic incredible beautiful perfect lovely cool fun crazy real whole"
    " bad awful terrible horrible weird funny interesting hard tough huge different special powerful true strong better"
    " deep fresh brief quick solid super strange sweet"
)
"""Adjectives that judge: a light verb's object with one of them is talk ("had a great time")."""
KEPT_ADJECTIVES = _map(
    "afraid:of scared:of terrified:of allergic:to married:to engaged:to related:to fluent:in intolerant:to"
    " addicted:to fond:of interested:in obsessed:with good:at bad:at passionate:about tired-of:of sensitive:to"
    " pregnant:with responsible:for close:to keen:on certified:in native:to deaf:in blind:in short:of proud-of:of"
)
"""Adjectives with the preposition that makes them a lasting trait."""

VAGUE = closed(
    "thing things something anything everything nothing lot lots bit way ways kind sort stuff time times fun part one"
    " ones idea chance look feeling feelings sense point much more all some any none most person people journey blast"
    " moment reminder sight world life day days luck thought thoughts difference word words break peace joy hope love"
    " support strength courage motivation inspiration happiness memories memory progress step steps vibe vibes energy"
    " reason question questions answer advice tip tips opinion heart mind progress while somebody someone anyone"
    " everyone everybody nobody passion place places ton tons bunch experience experiences confidence power beauty"
    " appreciation effort goal goals dream dreams issue issues problem problems trouble details info information"
    " option options possibility opportunity opportunities result results hand help care attention sentence email"
    " essay example list following other others another both same such case fact truth impact change changes"
    " challenge challenges connection inspiration creativity focus balance clarity purpose comfort cause message"
)
VAGUE |= closed(
    "doubt clue regrets regret complaints limits plans clues shame escape"
    "advantage notice pride place action charge turns notes risks shape priority account part responsibility ownership"
    "ages no yes hi hello eye eyes finger fingers fortune guts say shot turn go try potential significance impact best"
    " worst rest most least future past present start beginning end step fan fans hug hugs smile laugh chat talk"
    " look peek glimpse taste conversation kick touch contact sleep rest nap pic pics picture photo photos"
)
"""Heads of objects that say nothing without their context."""

CHATTY = closed(
    "think know mean guess feel see look sound seem thank appreciate hear agree understand wonder bet believe hope say"
    " tell ask let suppose wish imagine happen matter bring give make let help remember notice realize realise show"
    " share inspire remind check talk chat discuss mention send put keep figure find come go take try get do have need"
    " want hang catch stay turn set be hold seem appear act deal worry care count relate treat explain laugh cry smile"
    " admire wait hurry rock sleep wake stick welcome point note follow use call sit stand"
)
"""Verbs of talk, feeling and movement that state nothing lasting on their own: they need a name, a date or a
concrete object beside them."""

TALK = closed(
    "talk chat discuss think know mean guess feel seem sound thank appreciate hear agree understand wonder bet"
    " believe hope say tell ask"
    " suppose wish imagine matter remind inspire let realize realise admire worry relate welcome doubt care figure"
    " forget remember notice mind apologize apologise congratulate hurry check look laugh cry smile rock swear assume"
    " trust consider note hope-so promise blame reckon expect deserve"
)
"""Verbs that never head a statement worth keeping."""

LIFE_EVENTS = closed(
    "die retire graduate marry divorce quit resign relocate emigrate immigrate move_out move_in break_up split_up"
    " give_birth run_out expire pass_away get_married get_divorced get_engaged get_promoted come_out"
    " be_born be_due be_back be_away get_fired get_hired separate"
)
"""Predicates that need no object."""

HABITS = closed(
    "smoke drink drive swim run cycle paint knit sew garden meditate surf ski climb sing dance cook bake fish hunt"
    " volunteer code stutter snore jog row sail hike camp draw write teach commute babysit freelance work study"
)
"""Verbs that say a habit or a trait in the present without an object."""

LIVES = closed(
    "live work marry move study graduate bear die retire join hire promote found teach adopt buy visit turn divorce"
    " engage diagnose raise emigrate own have attend"
)
"""Verbs of somebody's life: all that is read out of documents and assistants' answers."""

HAPPENINGS = closed(
    "come arrive leave return start begin end finish open close expire fly move travel launch run graduate retire"
    " resign"
    " reopen depart land resume swim"
)
"""Verbs that, without an object, are worth keeping with their date."""

STATES = closed(
    "be live work have own know love like hate teach study play run own belong want need support speak believe"
    " coach manage attend volunteer"
)
"""Verbs whose present perfect still holds ("have lived")."""

PLACES = closed("at in near on from to with for as into through under beside next behind around by after of over")
"""Prepositions that may carry the rest of a statement."""

FILLERS = closed(
    "haha hahaha lol lmao rofl omg btw fyi pls plz please rn tbh ngl imo imho oh ooh ah hmm hm um uh er erm wow yay"
    " yep yup yeah"
    " yea yes nope nah hey hi hello ok okay k well anyway anyways so also actually honestly basically literally phew"
    " ugh oof aww aw alright right sure thanks thx ty cheers sorry xd xx xoxo xo haha hehe heh anyhow morning evening"
    " and but plus then cool great nice damn dang dude man guys folks quick intro update no however listen look guess"
    " what additionally besides thankfully luckily unfortunately sadly fortunately finally currently obviously"
)
"""Words that may stand before a sentence and say nothing."""
DROPPED = closed("lol lmao rofl btw fyi pls plz rn tbh ngl imo imho omg haha hahaha hehe heh xd xx xoxo smh fwiw")
"""Words that are left out of what is parsed wherever they stand."""

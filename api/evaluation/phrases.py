"""Word lists and sentence patterns of the synthetic corpus in `corpus`.

Names, places and things are ordinary enough for a tagger to recognise, and many enough that most words are rare, as
in real talk. `corpus` fills the brace fields. Each telling has questions of its own, which its sentence really
answers.
"""

from __future__ import annotations

from dataclasses import dataclass


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(text.split("|"))


FIRST_NAMES = _words(
    "Adele Amara Anton Arjun Astrid Bashir Beatrix Bruno Camila Cedric Clara Dario Delphine Edwin Elena Farid "
    "Felicity Gabor Greta Hamish Helena Ibrahim Imogen Ingrid Isabel Jasper Joaquin Judith Kamal Katya Kenji "
    "Laszlo Leila Lorenzo Lucinda Magnus Marcus Matilda Mehmet Nadia Naomi Nikolai Olivia Oscar Paloma Patrick "
    "Petra Priya Rafael Roberta Rosalind Samuel Selma Simone Stefan Tamara Theodore Ursula Valentin Vera Viktor "
    "Wanda Wilfred Yasmin Yusuf Zelda"
)
SURNAMES = _words(
    "Abernathy Almeida Bergström Castellano Dabrowski Eastwood Fitzgerald Greenwood Hargreaves Ivanov Jankowski "
    "Kowalczyk Lindqvist Marchetti Nakamura Okonkwo Pemberton Quintero Rasmussen Santoro Thackeray Underhill "
    "Vasquez Whitmore Yamada Zeller"
)
PLACES = _words(
    "Aberdeen Antwerp Avignon Bergen Bologna Bordeaux Brighton Bristol Bruges Cardiff Cologne Cork Dresden "
    "Dublin Edinburgh Florence Galway Geneva Ghent Glasgow Gothenburg Granada Helsinki Innsbruck Kraków Leipzig "
    "Lisbon Ljubljana Lyon Malmö Marseille Milan Montreal Naples Nottingham Oslo Palermo Porto Prague Reykjavik "
    "Riga Rotterdam Salzburg Seville Sheffield Tallinn Toronto Toulouse Trieste Turin Utrecht Valencia Vancouver "
    "Verona Vienna Warsaw York Zagreb Zurich"
)
VENUE_FIRST = _words(
    "Amber Blue Copper Crooked Gilded Green Hidden Iron Little Marble Old Paper Quiet Red Silver Velvet"
)
VENUE_SECOND = _words(
    "Anchor Bakery Bellflower Chapel Compass Fox Heron Kettle Lantern Mill Orchard Quay Sparrow Table Wren"
)
THINGS = _phrases(
    "accordion|armchair|backpack|banjo|blender|bookshelf|camera|canoe|cello|coffee grinder|dining table|drill|"
    "easel|espresso machine|film projector|folding bike|greenhouse|hiking boots|kayak|kiln|lathe|loom|mandolin|"
    "mattress|microscope|motorbike|record player|sewing machine|sleeping bag|snowboard|soldering iron|surfboard|"
    "telescope|tent|typewriter|violin|waffle iron|wetsuit|woodstove"
)
HOBBIES = _phrases(
    "beekeeping|birdwatching|bookbinding|bouldering|calligraphy|chess|choir practice|crochet|fencing|"
    "film photography|gardening|glassblowing|juggling|life drawing|orienteering|pottery|rowing|salsa|"
    "sourdough baking|swimming|tai chi|weaving|woodcarving"
)
JOBS = _phrases(
    "an archivist|an architect|a beekeeper|a bookseller|a carpenter|a data analyst|a dentist|an electrician|"
    "a florist|a geologist|a glazier|a head chef|a journalist|a midwife|a museum guide|a nurse|an optician|"
    "a paramedic|a pastry cook|a physiotherapist|a piano tuner|a police officer|a project manager|"
    "a sound engineer|a surveyor|a tram driver|a translator|a vet|a violin maker"
)
PETS = _phrases(
    "beagle|canary|cockatiel|dachshund|ferret|goldfish|greyhound|guinea pig|hamster|kitten|parrot|poodle|rabbit|"
    "tortoise"
)
PET_NAMES = _words(
    "Biscuit Button Clementine Domino Figaro Gizmo Hazel Juno Marmalade Mochi Nimbus Olive Pepper Pickle Rufus Truffle"
)
MONTHS = _words("January February March April May June July August September October November December")


@dataclass(frozen=True, slots=True)
class Telling:
    """One way of telling something and the ways to ask for it; with the speaker, the field `key` tells two apart."""

    name: str
    key: str
    said: str
    asked: tuple[str, ...]


TELLINGS = (
    Telling(
        "trip",
        "place",
        "I've booked a trip to {place} for {when}. {friend} {surname} is coming along, and we found a "
        "small hotel behind the {venue}.",
        ("When is {speaker} travelling to {place}?", "Who is going to {place} with {speaker}?"),
    ),
    Telling(
        "dinner",
        "place",
        "We're finally going to {place}! The train leaves on {when}, and I promised {friend} that we'd "
        "have dinner at the {venue}.",
        ("On which day does the train of {speaker} leave for {place}?", "Where will {speaker} have dinner in {place}?"),
    ),
    Telling(
        "move",
        "place",
        "I'm moving to {place} on {when}. The flat is tiny, {count} steps up from the {venue}, but it "
        "has a balcony and morning light.",
        ("When does {speaker} move to {place}?", "What is the new home of {speaker} in {place} like?"),
    ),
    Telling(
        "lease",
        "place",
        "The lease is signed: from {when} I live in {place}, two doors from the {venue}, with {friend} as my flatmate.",
        ("Who shares the flat in {place} with {speaker}?", "From when does {speaker} live in {place}?"),
    ),
    Telling(
        "job",
        "job",
        "I got the job! From {when} I'm working as {job} in {place}, and my new boss is called {friend} {surname}.",
        ("When does {speaker} start as {job}?", "Who is the boss of {speaker}, who works as {job}?"),
    ),
    Telling(
        "course",
        "job",
        "Big change: I've decided to become {job}. The course starts on {when} in {place} and takes {count} weeks.",
        ("Where does {speaker} learn to be {job}?", "How long is the course of {speaker} to become {job}?"),
    ),
    Telling(
        "parcel",
        "code",
        "My {thing} still hasn't arrived. The shop says that order {code} left the warehouse in {place} "
        "on {when}, and nobody knows more.",
        ("What happened to order {code}?", "From which city was order {code} sent?"),
    ),
    Telling(
        "purchase",
        "code",
        "I ordered a {thing} from a shop in {place}. The number is {code}, in case the parcel comes to you on {when}.",
        ("What did {speaker} buy with order {code}?", "When might the parcel of order {code} come?"),
    ),
    Telling(
        "adoption",
        "pet_name",
        "We adopted a {pet}! The name is {pet_name}, and on {when} we're off to the vet next to the {venue}.",
        ("What kind of animal is {speaker}'s {pet_name}?", "When does {speaker} take {pet_name} to the vet?"),
    ),
    Telling(
        "escape",
        "pet_name",
        "My {pet} {pet_name} escaped again. {friend} found the little rascal near the {venue}, {count} "
        "streets from home.",
        ("Who found {pet_name} for {speaker}?", "Where did {pet_name} run to from the home of {speaker}?"),
    ),
    Telling(
        "hobby",
        "hobby",
        "I've taken up {hobby}. We meet on Thursdays at the {venue}, and {friend} {surname}, who "
        "teaches us, says I'm improving.",
        ("Who teaches {speaker} {hobby}?", "Where does {speaker} go for {hobby}?"),
    ),
    Telling(
        "contest",
        "hobby",
        "After {count} weeks of {hobby} I dared to join the competition in {place} on {when}. Wish me luck!",
        ("When is the {hobby} competition of {speaker}?", "Where does {speaker} compete in {hobby}?"),
    ),
    Telling(
        "birthday",
        "friend",
        "{friend} {surname} is turning {count} and we're celebrating at the {venue} in {place} on "
        "{when}. You're invited, of course.",
        (
            "How old does {friend}, the friend of {speaker}, become?",
            "Where does {speaker} celebrate the birthday of {friend}?",
        ),
    ),
    Telling(
        "wedding",
        "friend",
        "Did I tell you? {friend} and {other} are getting married in {place} on {when}, and the party "
        "is at the {venue}.",
        (
            "Who is marrying {friend}, according to {speaker}?",
            "When is the wedding of {friend} that {speaker} told about?",
        ),
    ),
    Telling(
        "bargain",
        "thing",
        "I paid {count} euros for a second-hand {thing}. {friend} {surname} from {place} had it in the "
        "cellar since last winter.",
        ("How much did {speaker} pay for the {thing}?", "Who sold {speaker} the {thing}?"),
    ),
    Telling(
        "savings",
        "thing",
        "My {thing} broke, so I'm saving: {count} euros so far, and the shop near the {venue} keeps one "
        "for me until {when}.",
        ("How much has {speaker} saved for a new {thing}?", "Until when does the shop keep a {thing} for {speaker}?"),
    ),
)

OPENERS = (
    "Hey {listener}, how have you been since we last spoke?",
    "Hi {listener}! Long time no see, I have so much to tell you.",
    "Good morning {listener}, did you sleep at all after that storm?",
    "{listener}! I was just thinking about you on the tram.",
    "Evening, {listener}. The week has been wild at our place, and yours?",
)
REPLIES = (
    "That sounds wonderful, {listener}. How did you come up with the idea?",
    "Wow, I didn't expect that! What does your family say?",
    "Oh no, I'm sorry to hear that. Is there anything I could do to help you with it?",
    "Nice! You should send me a few pictures.",
    "Haha, that's so you. I'd have given up after the first afternoon, honestly.",
    "Really? I thought you had dropped that plan.",
    "I'm proud of you, {listener}. It takes courage to start something like that when everybody is so tired.",
    "Good for you. I remember how long you talked about it by the river last summer, with cold coffee.",
    "Same here, to be honest. Some days I only manage the dishes and a short walk, and that has to be enough.",
    "Let's talk about it over lunch, I need to hear every detail.",
    "And what happens if it doesn't work out?",
    "Sure, count me in!",
)
ASIDES = (
    "It made me think of my grandmother, who never threw anything away.",
    "I still can't quite believe it, to tell the truth.",
    "The weather has been dreadful, but that didn't spoil it.",
    "I'll keep you posted, I promise.",
    "My neighbours must be thrilled.",
    "Afterwards we walked home along the canal and talked about everything and nothing.",
    "It was more expensive than I'd hoped.",
    "I've wanted this since I was a child.",
    "Don't tell the others yet, please.",
    "We laughed until our bellies hurt.",
    "On the way back the bus broke down, so we sang until somebody fetched us.",
    "I even made a list, can you imagine?",
)

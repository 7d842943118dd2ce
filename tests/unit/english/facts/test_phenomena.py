"""One sentence of our own at least for each thing that people do with sentences."""

from __future__ import annotations

import pytest

from tests.unit.english.facts.told import facts, only, statements


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Plain first person, "we", and clauses strung together.
        ("I'm a paediatric nurse, I live in Ghent", ["Ana | be | paediatric nurse", "Ana | live in | Ghent"]),
        ("we rent a houseboat", ["Ana | rent | houseboat"]),
        ("I play the cello and my brother plays drums", ["Ana | play | cello", "Ana's brother | play | drums"]),
        ("I lecture history at Dunmore College", ["Ana | lecture | history", "Ana | lecture at | Dunmore College"]),
        # Possessives and named relations.
        ("my ex lives in Toronto", ["Ana's ex | live in | Toronto"]),
        ("My car is a 2015 Skoda Octavia", ["Ana's car | be | 2015 Skoda Octavia"]),
        ("my favourite colour is green", ["Ana's favourite colour | be | green"]),
        ("My grandson Emil speaks Frisian", ["Ana | have grandson | Emil", "Emil | speak | Frisian"]),
        ("our vet is called Minke", ["Ana | have vet | Minke"]),
        ("my dog's name is Toast", ["Ana | have dog | Toast"]),
        ("My kids are Bea and Tom", ["Ana | have child | Bea", "Ana | have child | Tom"]),
        ("I have two sons, Milo and Arvo", ["Ana | have son | Milo", "Ana | have son | Arvo"]),
        ("a friend of mine, Jo, paints", ["Ana | have friend | Jo", "Jo | paint | -"]),
        ("everyone calls me Seun", ["Ana | go by | Seun"]),
        # Appositions and relative clauses.
        (
            "Priya, my manager, lives in Delft",
            ["Ana | have manager | Priya", "Priya | live in | Delft"],
        ),
        (
            "my uncle, who is a beekeeper, lives in Wales",
            ["Ana's uncle | be | beekeeper", "Ana's uncle | live in | Wales"],
        ),
        ("I bought it from Henk, the baker at Molenweg", ["Henk | be | baker at Molenweg"]),
        # Lists, also with a headline.
        ("I speak Danish, Greek and Urdu", ["Ana | speak | Danish", "Ana | speak | Greek", "Ana | speak | Urdu"]),
        ("Allergies: peanuts and shellfish", ["Ana | be allergic to | peanuts", "Ana | be allergic to | shellfish"]),
        ("things I never cook: lamb, squid", ["Ana | not cook | lamb", "Ana | not cook | squid"]),
        ("My parents and brother live in Kent", ["Ana's parents | live in | Kent", "Ana's brother | live in | Kent"]),
        # Negation.
        ("I don't drink coffee anymore", ["Ana | not drink | coffee"]),
        ("I'm no longer vegetarian", ["Ana | not be | vegetarian"]),
        ("I've never eaten oysters", ["Ana | not eat | oysters"]),
        ("I have no siblings", ["Ana | not have | siblings"]),
        ("it's not that I hate jazz, I just prefer techno", ["Ana | not hate | jazz", "Ana | prefer | techno"]),
        # Passives.
        ("I was fired from Hexatron", ["Ana | be fired from | Hexatron"]),
        ("My grandparents were born in Odessa", ["Ana's grandparents | be born in | Odessa"]),
        ("I'm getting married to Lena", ["Ana | get married to | Lena"]),
        # Reported and quoted speech.
        ("Bram said he's quitting his job at the bank", ["Bram | quit | job at the bank"]),
        ('"I never eat fish," said my uncle Paavo', ["Ana | have uncle | Paavo", "Paavo | not eat | fish"]),
        ("Turns out Mila drives a tram", ["Mila | drive | tram"]),
        # Pronouns inside the turn.
        ("My mum Petra is 64, she retired in May", ["Ana | have mum | Petra", "Petra | be | 64", "Petra | retire | -"]),
        ("I bought a canoe, it's called Fig", ["Ana | buy | canoe", "canoe | be called | Fig"]),
        ("My dad is deaf but my mum isn't", ["Ana's dad | be | deaf", "Ana's mum | not be | deaf"]),
        # Verbs that take verbs.
        ("I love hiking", ["Ana | love | hiking"]),
        ("my daughter wants to study law", ["Ana's daughter | want to study | law"]),
        ("I started learning Welsh", ["Ana | start learning | Welsh"]),
        # Left-out subjects, lower case, typos, emoji, fillers.
        ("sold my old Golf in January", ["Ana | sell | old Golf"]),
        ("im from lisbon but i work in porto", ["Ana | be from | lisbon", "Ana | work in | porto"]),
        ("i wokr as a plumber", ["Ana | work as | plumber"]),
        ("my gf nadja doesnt like sushi 🍣🍣", ["Ana | have girlfriend | Nadja", "Nadja | not like | sushi"]),
        ("lol ok btw I own two flats in Leipzig :)", ["Ana | own | two flats in Leipzig"]),
        # Questions and orders that carry a fact along.
        ("what should I get my nephew Jules for his birthday?", ["Ana | have nephew | Jules"]),
        ("write me a poem about my dog Pepper", ["Ana | have dog | Pepper"]),
        ("I can't eat dairy, so what dessert would work?", ["Ana | not eat | dairy"]),
        ("please remember that I'm left-handed", ["Ana | be | left-handed"]),
    ],
)
def test_what_is_stated_is_found(text: str, expected: list[str]) -> None:
    assert sorted(facts(text)) == sorted(expected)


@pytest.mark.parametrize(
    "text",
    [
        "hey hey, good morning!",
        "phew, what a week. anyway, back to it",
        "so tired today",
        "Is it true that cats sleep 16 hours a day?",
        "do you think I should buy a boat?",
        "summarise the chapter and send it to Bo",
        "if I won the lottery I'd buy a farm",
        "I'd move to Norway if the pay was better",
        "Suppose I had three kids, which school would be best?",
        "let's say I'm a pirate and I live in Nassau. Now write my diary. I own a parrot.",
        "I wish I had a garden",
        'Translate "My aunt rents a house" into Greek',
        '"My dad is a pilot" is what the girl in the film says',
        "My character is a blacksmith who lives in a cave",
        "the Eiffel Tower is 330 metres tall",
        "giraffes sleep standing up",
        "I'm basically a vampire",
        "I own the moon. just kidding",
        "you live in Leeds and your sister paints",
        "I love your new haircut",
        "it was amazing, we had a great time",
    ],
)
def test_what_states_nothing_worth_keeping_makes_nothing(text: str) -> None:
    assert facts(text) == []


@pytest.mark.parametrize(
    ("text", "modality"),
    [
        ("I teach yoga", "asserted"),
        ("I've lived in Bonn since 2011", "asserted"),
        ("I think my passport expires in 2027", "hedged"),
        ("maybe I'll buy a kayak", "hedged"),
        ("as far as I know Kwame works at Lumitech", "hedged"),
        ("I'm thinking of moving to Antwerp", "hedged"),
        ("I'm going to sell my van", "planned"),
        ("I'd love to visit Brazil", "planned"),
        ("Our wedding is on 14 September", "planned"),
        ("I have a dentist appointment on Friday", "planned"),
        ("I used to work for Philips", "past"),
        ("I was born in Windhoek", "past"),
        ("we didn't buy the barge in Delft", "past"),
    ],
)
def test_modality(text: str, modality: str) -> None:
    assert only(text).modality == modality


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("I finished reading Dune yesterday", "2024-06-11"),
        ("I moved to Lund in March 2021", "2021-03"),
        ("my dad died in 2009", "2009"),
        ("my knee surgery is tomorrow", "2024-06-13"),
        ("I've worked at Brill since 2016", "2016"),
        ("I played chess last week", None),
        ("I swim every Tuesday", None),
        ("I've been a teacher for two decades", None),
    ],
)
def test_the_date_is_as_fine_as_the_text_tells_it(text: str, event: str | None) -> None:
    assert only(text).event == event


def test_words_of_time_stay_out_of_the_object() -> None:
    assert facts("I bake bread every day") == ["Ana | bake | bread"]
    assert facts("I bought a tent last Friday") == ["Ana | buy | tent"]


def test_two_who_could_be_meant_are_nobody() -> None:
    assert facts("Ivo met Tom. he plays the oboe") == ["Ivo | meet | Tom"]


def test_what_somebody_else_says_of_himself_is_not_the_speakers() -> None:
    assert all(s.subject != "Ana" for s in statements('"I hate opera," my wife said'))

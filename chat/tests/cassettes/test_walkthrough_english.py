"""The walkthrough in English: recorded as really as the article's, shown to readers of English."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat import setup
from chat.cassettes import walkthrough
from chat.cassettes.walkthrough import CHINESE, CHINESE_HINT, ENGLISH, HINT
from chat.llm.dialects import dialect
from chat.presets import shipped
from chat.tests.builders import a_user
from tools.mcp.servers import seeds
from tools.mcp.servers.database import Database

MESSAGES = walkthrough.english_cassette().rounds[-1].messages
STARTER = '<button class="starter" type="button" data-starter disabled dir="auto">{}</button>'


def calls(text: str) -> list[tuple[str, str]]:
    """Name and arguments of each."""
    answer = dialect("nous").answer({"role": "assistant", "content": text})
    functions = [call["function"] for call in answer.tool_calls]
    return [(function["name"], function["arguments"]) for function in functions]


def text_of(pieces: tuple[str, ...]) -> str:
    return "".join(pieces)


def test_its_results_are_those_of_the_tools(tmp_path: Path) -> None:
    seeds.plant(tmp_path / "new.sqlite3", "walkthrough")
    database = Database(tmp_path / "new.sqlite3")
    compared = 0
    for asked, returned in pairwise(MESSAGES):
        if asked["role"] == "assistant" and (made := calls(asked["content"])):
            results = [
                database.run_tool(name.removeprefix("sqlite-"), json.loads(arguments))
                for name, arguments in made
            ]
            shown = "\n".join(f"<tool_response>\n{result}\n</tool_response>" for result in results)
            assert returned["content"] == shown
            compared += len(made)
    assert compared == 9


def test_it_has_the_rounds_and_tools_of_the_article() -> None:
    recorded = (walkthrough.cassette(), walkthrough.english_cassette())
    article, english = (
        [(each.label, [name for name, _ in calls(each.text)]) for each in one.rounds]
        for one in recorded
    )
    assert english == article
    assert len(english) == 9


@pytest.mark.parametrize("language", [ENGLISH, CHINESE])
def test_it_answers_in_the_language_of_the_question(language: str) -> None:
    question = walkthrough.questions(language)[0]
    system = {"role": "system", "content": walkthrough.system_prompt()}
    answer = walkthrough.answer([system, {"role": "user", "content": question}])
    assert text_of(answer).startswith("<tool_call>")


def test_another_question_is_answered_with_those_of_its_language() -> None:
    english = text_of(walkthrough.answer([{"role": "user", "content": "What is the weather?"}]))
    chinese = text_of(walkthrough.answer([{"role": "user", "content": "今天天气怎么样"}]))
    assert english.startswith(HINT) and walkthrough.questions(ENGLISH)[3] in english
    assert chinese.startswith(CHINESE_HINT) and walkthrough.questions(CHINESE)[3] in chinese


def test_a_hint_in_either_language_is_no_part_of_the_conversation() -> None:
    hint = text_of(walkthrough.answer([{"role": "user", "content": "今天天气怎么样"}]))
    messages = [
        {"role": "user", "content": "今天天气怎么样"},
        {"role": "assistant", "content": hint},
        {"role": "user", "content": walkthrough.questions(ENGLISH)[0]},
    ]
    assert len(walkthrough.without_hints(messages)) == 1


@pytest.fixture
def owner(client: Client, db: None) -> User:
    setup.ensure_walkthrough()
    shipped.ensure()
    user = a_user()
    client.force_login(user)
    return user


@pytest.mark.parametrize("language", [ENGLISH, CHINESE])
def test_the_starters_are_those_of_the_browsers_language(
    client: Client, owner: User, language: str
) -> None:
    page = client.get("/", headers={"Accept-Language": language}).content.decode()
    other = ENGLISH if language == CHINESE else CHINESE
    # Of the walkthrough, and of the database assistant.
    assert page.count(STARTER.format(walkthrough.questions(language)[0])) == 2
    assert walkthrough.questions(other)[0] not in page

"""The article's conversation as a cassette, and the same one in English; it answers other questions
with those that it knows.

`walkthrough.json` holds what the article prints (see `NOTICE`): seven of nine model calls. The two
that it omits are taken from the history of the last turn. `walkthrough_en.json` holds the messages
of the English one, with what the sqlite server really returned.
"""

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from chat.cassettes.text_cassette import Message, TextCassette, TextRound, signatures

FILE = Path(__file__).with_name("walkthrough.json")
ENGLISH_FILE = Path(__file__).with_name("walkthrough_en.json")
MODEL = "walkthrough"
ENGLISH, CHINESE = "en", "zh-hans"
# Characters of a chunk of the answer: about a word.
PIECE = {ENGLISH: 6, CHINESE: 3}
HINT = "This walkthrough is a recording. "
CHINESE_HINT = "这个演示是一段录制。"
RESULT = "<tool_response>"
# A recorded model answers in the language in which it is asked, whatever that of the page is.
OTHER_RESULTS = {
    ENGLISH: f"{HINT}The tools have just returned something else than when it was recorded, so it "
    "has no answer to that. Begin a new conversation: its database is fresh.",
    CHINESE: f"{CHINESE_HINT}工具刚才返回的结果和录制时不同，所以没有对应的回答。"
    "开始一个新对话即可：它的数据库是全新的。",
}
UNKNOWN = {
    ENGLISH: f"{HINT}It knows these questions:\n\n{{questions}}\n\nTo ask anything else, connect a "
    "model.",
    CHINESE: f"{CHINESE_HINT}它只会回答这些问题：\n\n{{questions}}\n\n"
    "要问别的问题，请连接一个模型。",
}
HAN = re.compile("[\u4e00-\u9fff]")
LATIN_WORDS = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}")


@cache
def article() -> dict[str, Any]:
    """The content of the article."""
    content: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return content


@cache
def cassette() -> TextCassette:
    """All nine rounds of the article."""
    calls = article()["calls"]
    last = calls[-1]["preprocessed_input"]
    rounds = [_round(call, last) for call in calls]
    return TextCassette("walkthrough", MODEL, tuple(rounds))


@cache
def english_cassette() -> TextCassette:
    """The nine rounds in English."""
    rounds, turn, number = [], 0, 0
    messages = _english_messages()
    for at, message in enumerate(messages):
        if is_question(message):
            turn, number = turn + 1, 0
        elif message["role"] == "assistant":
            number += 1
            label = f"turn {turn}, round {number}"
            content = message["content"]
            rounds.append(TextRound(label, tuple(messages[:at]), pieces(content, ENGLISH)))
    return TextCassette("walkthrough", MODEL, tuple(rounds))


@cache
def questions(language: str = CHINESE) -> tuple[str, ...]:
    """The known questions in a language, in the article's order; any but Chinese is English."""
    article_s = article()["calls"][-1]["preprocessed_input"]
    messages = article_s if language == CHINESE else _english_messages()
    return tuple(message["content"] for message in messages if is_question(message))


def in_language(question: str, language: str) -> str:
    """A known question in this language; any other text as it is."""
    return _pairs(language).get(question, question)


def system_prompt() -> str:
    """The article's system prompt."""
    prompt: str = article()["calls"][0]["raw_input"][0]["content"]
    return prompt


def tool_names() -> list[str]:
    """The article's six tools, in its order."""
    return [tool["function"]["name"] for tool in article()["tools"]]


def is_question(message: Message) -> bool:
    content = message.get("content")
    return message.get("role") == "user" and not str(content).startswith(RESULT)


def answer(messages: Sequence[Message]) -> tuple[str, ...]:
    """The recorded pieces for these messages, or a hint instead.

    Questions may come in another order, and hints between them: then the current turn decides, by
    its question and the results of its tools.
    """
    known = without_hints(messages)
    match = cassette().find(known) or _same_turn(known)
    if match:
        return match.pieces
    language = _language(known)
    return pieces(_hint(known, language), language)


def without_hints(messages: Sequence[Message]) -> list[Message]:
    """The messages without earlier hints and the questions that those answered."""
    remaining: list[Message] = []
    for message in messages:
        if message.get("role") == "assistant" and _is_hint(message):
            while (
                remaining
                and remaining[-1].get("role") != "assistant"
                and not _is_system(remaining[-1])
            ):
                dropped = remaining.pop()
                if is_question(dropped):
                    break
            continue
        remaining.append(message)
    return remaining


def pieces(text: str, language: str = CHINESE) -> tuple[str, ...]:
    size = PIECE[language]
    return tuple(text[at : at + size] for at in range(0, len(text), size))


@cache
def _english_messages() -> list[Message]:
    """The article's system prompt, which the preset of both has, and the recorded messages."""
    recorded = json.loads(ENGLISH_FILE.read_text(encoding="utf-8"))["messages"]
    return [{"role": "system", "content": system_prompt()}, *recorded]


@cache
def _pairs(language: str) -> dict[str, str]:
    """The questions of the other language, each with its counterpart in this one."""
    other = ENGLISH if language == CHINESE else CHINESE
    return dict(zip(questions(other), questions(language), strict=True))


def _is_hint(message: Message) -> bool:
    return str(message.get("content")).startswith((HINT, CHINESE_HINT))


def _is_system(message: Message) -> bool:
    return message.get("role") == "system"


def _round(call: dict[str, Any], last: list[Message]) -> TextRound:
    label = f"turn {call['turn']}, round {call['round']}"
    if call["raw_output"] is not None:
        text = call["raw_output"][0]["content"]
        return TextRound(label, tuple(call["preprocessed_input"]), pieces(text))
    question_at = [at for at, message in enumerate(last) if is_question(message)][call["turn"] - 1]
    at = question_at + 2 * call["round"] - 1
    return TextRound(label, tuple(last[:at]), pieces(last[at]["content"]))


def _turn(messages: Sequence[Message]) -> list[Message]:
    """The messages from the latest question on."""
    questions_at = [at for at, message in enumerate(messages) if is_question(message)]
    return list(messages[questions_at[-1] :]) if questions_at else []


def _same_turn(messages: Sequence[Message]) -> TextRound | None:
    wanted = signatures(_turn(messages))
    rounds = (*cassette().rounds, *english_cassette().rounds)
    return next((r for r in rounds if signatures(_turn(r.messages)) == wanted), None)


def _language(messages: Sequence[Message]) -> str:
    """The one in which the latest question is asked."""
    question = str(next(iter(_turn(messages)), {}).get("content"))
    is_chinese = HAN.search(question) and not LATIN_WORDS.search(question)
    return CHINESE if is_chinese else ENGLISH


def _hint(messages: Sequence[Message], language: str) -> str:
    turn = _turn(messages)
    known = questions(language)
    if turn and turn[0].get("content") in known:
        return OTHER_RESULTS[language]
    listed = "\n".join(f"- {question}" for question in known)
    return UNKNOWN[language].format(questions=listed)

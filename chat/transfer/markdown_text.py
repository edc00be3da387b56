"""A branch as a readable document in Markdown: questions, answers, calls folded, sources.

A number that cites a source of its turn is a link to it, and stands in the list below the answer.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from chat.attachments.references import references
from chat.llm.messages import Message, ToolCall, text_of
from chat.markdown import Citations, citations
from chat.transfer.shown_branch import Branch, ShownTurn
from limits.transfer import MAX_EXPORT_SOURCES
from tracing.formatting.text import visible

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
# Code, in which a number in brackets is no citation.
_CODE = re.compile(
    r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1|\Z)|(?<!`)(`{1,8})(?!`)[^\n]*?(?<!`)\2(?!`)",
    re.DOTALL | re.MULTILINE,
)
_CITED = re.compile(r"\[(\d{1,3})\](?![(:])")
_ADDRESS = re.compile(r"https?://[^\s<>\"'）】\]]+")
# Tools whose results name the pages that an answer was written from.
_SEARCHES = ("web_search", "fetch_page", "search_files")


def document(branch: Branch) -> Iterator[str]:
    """The document, a turn at a time."""
    row = branch.conversation
    yield f"# {_line(str(row))}\n\n"
    yield f"{row.created:%Y-%m-%d %H:%M} UTC\n"
    for turn in branch.turns:
        yield from _turn(turn)


def _turn(turn: ShownTurn) -> Iterator[str]:
    if turn.question is not None:
        yield f"\n## {_('Question')}\n\n{_question(turn.question)}\n"
    yield f"\n## {_answer_title(turn)}\n"
    results = {str(one.get("tool_call_id")): one for one in turn.messages if one["role"] == "tool"}
    sources = citations.read(one for body in results.values() for one in body.get("sources") or ())
    for message in turn.messages:
        if message["role"] == "assistant":
            yield from _answer(message, results, sources)
        elif message["role"] == "user":
            yield f"\n## {_('Note')}\n\n{_question(message)}\n\n## {_answer_title(turn)}\n"
    if turn.turn.error:
        yield f"\n> {_line(turn.turn.error)}\n"
    yield from _sources(sources) if sources else _addresses(turn, results)
    if turn.rating:
        note = f" {_line(turn.note)}" if turn.note else ""
        yield f"\n*{_('Feedback')}: {'👍' if turn.rating == 'up' else '👎'}{note}*\n"


def _answer_title(turn: ShownTurn) -> str:
    model = turn.turn.model
    return f"{_('Answer')} · {_line(str(model))}" if model else _("Answer")


def _question(message: Message) -> str:
    named = [f"*{_('Attachment')}: {_line(one.name)}*" for one in references([message])]
    return "\n\n".join([*named, visible(text_of(message.get("content")))])


def _answer(message: Message, results: Mapping[str, Message], sources: Citations) -> Iterator[str]:
    if reasoning := message.get("reasoning_content"):
        yield _details(_("Reasoning"), visible(str(reasoning)))
    if text := text_of(message.get("content")):
        yield f"\n{_linked(visible(text), sources)}\n"
    if refusal := message.get("refusal"):
        yield f"\n{visible(str(refusal))}\n"
    for call in message.get("tool_calls") or ():
        yield _call(call, results.get(str(call.get("id"))))


def _call(call: ToolCall, result: Message | None) -> str:
    function = call["function"]
    parts = [_fenced(visible(str(function["arguments"])), "json")]
    if result is not None:
        parts.append(_fenced(visible(text_of(result.get("content")))))
    return _details(f"{_('Tool')}: {_line(str(function['name']))}", "\n\n".join(parts))


def _details(summary: str, content: str) -> str:
    return f"\n<details>\n<summary>{_escaped(summary)}</summary>\n\n{content}\n\n</details>\n"


def _fenced(text: str, language: str = "") -> str:
    """A code block whose fence is longer than any in the text."""
    longest = max((len(one[1]) for one in _FENCE.finditer(text)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _linked(text: str, sources: Citations) -> str:
    """The text with its citations of pages as links."""
    urls = {one.number: one.url for one in sources if one.host}
    if not urls:
        return text

    def link(match: re.Match[str]) -> str:
        url = urls.get(int(match[1]))
        return f"[\\[{match[1]}\\]](<{url}>)" if url else match[0]

    parts: list[str] = []
    at = 0
    for code in _CODE.finditer(text):
        parts += [_CITED.sub(link, text[at : code.start()]), code[0]]
        at = code.end()
    return "".join([*parts, _CITED.sub(link, text[at:])])


def _sources(sources: Citations) -> Iterator[str]:
    """Pages with their addresses, and places in files."""
    yield f"\n### {_('Sources')}\n\n"
    for one in sources[:MAX_EXPORT_SOURCES]:
        yield f"{one.number}. {_line(one.title)}{f' <{visible(one.url)}>' if one.host else ''}\n"


def _addresses(turn: ShownTurn, results: Mapping[str, Message]) -> Iterator[str]:
    """The addresses in results of searches of older versions, numbered."""
    addresses: dict[str, None] = {}
    for name, call_id in _calls(turn):
        if name.rpartition("-")[2] in _SEARCHES and (result := results.get(call_id)):
            found = _ADDRESS.findall(text_of(result.get("content")))
            addresses |= dict.fromkeys(one.rstrip(".,;:)") for one in found)
    if addresses:
        yield f"\n### {_('Sources')}\n\n"
        for number, address in enumerate(list(addresses)[:MAX_EXPORT_SOURCES], 1):
            yield f"{number}. <{visible(address)}>\n"


def _calls(turn: ShownTurn) -> Iterator[tuple[str, str]]:
    """Name and id of each call of a turn."""
    for message in turn.messages:
        calls: Any = message.get("tool_calls") or ()
        yield from ((str(call["function"]["name"]), str(call.get("id"))) for call in calls)


def _line(text: str) -> str:
    return " ".join(visible(text).split())


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

"""The rounds of a turn with their four stages, as others may see them.

A stage is masked as values: texts of JSON, and the parts of a response joined from its events. The
bytes are not shown, since a secret may be spread over events, or be written in another way. What a
person hid is not searched for in a request, which may have it in another form; the stage that could
have it is withheld.
"""

import json
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from chat.llm.messages import text_of
from chat.models import SharedLink, Turn
from chat.sharing.document import elapsed, without_addresses
from chat.sharing.files import Kept, stored
from chat.sharing.secret_texts import Masking
from chat.sharing.shapes import (
    SharedCall,
    SharedDocument,
    SharedRound,
    SharedStage,
    SharedTraceRound,
    SharedTurn,
    StageText,
)
from db.fields import dump_json
from languages.later import later
from limits.sharing import MAX_SHARED_STAGE
from limits.trace_pages import MAX_READ_STAGE_BYTES, MAX_UNPACKED_STAGE_BYTES
from tracing.errors import PayloadCorrupt
from tracing.formatting.json_text import indented
from tracing.journal.trace_rounds import Round, StoredPayloads, payloads_of, rounds
from tracing.models import Payload, Span
from tracing.models.attributes import generation_attributes, payload_attributes
from tracing.store import payloads
from tracing.store.encodings import decode_content
from wire.recorded import read_response

# Of the file with the traces of a snapshot: no address names it.
_KEY = "traces"
STAGES = ("input", "request", "response", "output")
# Sentences by code.
WITHHELD = {
    "missing": later("Nothing is recorded for this stage."),
    "removed": later("The recording of this round is no longer kept."),
    "hidden": later("Not shown: it has what the person who shared this has hidden."),
    "earlier": later("Not shown: it has earlier messages that are not shared."),
    "bytes": later(
        "Not shown: its bytes cannot be read as messages, so secrets in them cannot be masked."
    ),
    "large": later("Not shown: it is too large for this page."),
}


class Texts:
    """Texts of stages, each once."""

    def __init__(self, masking: Masking) -> None:
        self.masking = masking
        self._places: dict[tuple[str, str, str], int] = {}
        self.texts: list[StageText] = []

    def add(self, role: str, text: str, rest: Any = None) -> int:
        """The position of a text and of the JSON beside it, both masked."""
        text = self.masking.text(text)
        beside = self.json(rest) if rest else ""
        key = (role, text, beside)
        if key not in self._places:
            self._places[key] = len(self.texts)
            is_cut = max(len(text), len(beside)) > MAX_SHARED_STAGE
            entry: StageText = {
                "role": self.masking.text(role)[:100],
                "text": text[:MAX_SHARED_STAGE],
                "rest": beside[:MAX_SHARED_STAGE],
                "is_cut": is_cut,
            }
            self.texts.append(entry)
        return self._places[key]

    def json(self, value: Any) -> str:
        return self.masking.text(indented(self.masking.value(value)))


def add_traces(
    shared: SharedDocument,
    link: SharedLink,
    keys: Sequence[int],
    masking: Masking,
    only: int | None = None,
) -> None:
    """Adds the traces of the turns of a document from the first one on, which are at `keys`; or of
    the one at `only`."""
    texts = Texts(masking)
    turns = Turn.objects.filter(pk__in=keys).select_related("trace").order_by("pk")
    reason = ""
    for place, (turn, entry) in enumerate(zip(turns, shared["turns"], strict=True)):
        if link.is_single and turn.parent_id is not None:
            reason = "earlier"
        if only in (None, place):
            entry["trace"] = list(_rounds(turn, entry, texts, reason))
        reason = reason or ("hidden" if hides(entry) else "")
    shared["texts"] = texts.texts


def taken(shared: SharedDocument) -> bytes:
    """The traces of a document, taken out of it: most who open a link do not ask for them. Empty
    without traces."""
    recorded = [one["trace"] for one in shared["turns"]]
    if not any(one is not None for one in recorded):
        return b""
    value = {"texts": shared["texts"], "traces": recorded}
    shared["texts"] = []
    for one in shared["turns"]:
        one["trace"] = None
    return dump_json(value).encode()


def kept(recorded: bytes) -> list[Kept]:
    """The traces of a snapshot as a file of it."""
    return [Kept(_KEY, "", "", zlib.compress(recorded, 6))] if recorded else []


def put_back(shared: SharedDocument, link: SharedLink, place: int) -> bool:
    """Puts the trace of a turn of a snapshot into its document; whether there is one."""
    file = stored(link, _KEY)
    if file is None or place >= len(shared["turns"]):
        return False
    value = json.loads(zlib.decompress(file.content))
    shared["texts"], shared["turns"][place]["trace"] = value["texts"], value["traces"][place]
    return True


def hides(turn: SharedTurn) -> bool:
    """Whether something of a turn is hidden."""
    messages = [*turn["put_in"], *([turn["question"]] if turn["question"] else [])]
    return any(map(_hides_message, messages)) or any(map(_hides_round, turn["rounds"]))


def _hides_message(message: Any) -> bool:
    return message["is_hidden"] or any(one["is_hidden"] for one in message["attachments"])


def _hides_round(one: SharedRound) -> bool:
    hidden = one["is_hidden"] or any(map(_hides_call, one["calls"]))
    return hidden or any(map(_hides_message, one["put_in"]))


def _hides_call(call: SharedCall) -> bool:
    return call["is_hidden"] or any(map(hides, call.get("nested", [])))


def _rounds(turn: Turn, entry: SharedTurn, texts: Texts, reason: str) -> Iterator[SharedTraceRound]:
    """`reason`: why requests of this turn are withheld, if they are."""
    if turn.trace is None:
        return
    shown = {one["number"]: one for one in entry["rounds"]}
    if entry["question"] is not None and _hides_message(entry["question"]):
        reason = reason or "hidden"
    for one in rounds(turn.trace):
        known = shown.get(one.number)
        # A round without an answer may have what was put in after the last one.
        put_in = entry["put_in"] if known is None else known["put_in"]
        if any(map(_hides_message, put_in)):
            reason = reason or "hidden"
        is_hidden = known is not None and _hides_round(known)
        yield _round(one, texts, reason, "hidden" if is_hidden else "")
        if is_hidden:
            reason = reason or "hidden"


def _round(one: Round, texts: Texts, of_request: str, of_answer: str) -> SharedTraceRound:
    last = one.generations[-1] if one.generations else None
    stored = payloads_of([last]) if last else {}
    attributes = generation_attributes(last) if last else {}
    return {
        "number": one.number,
        "model": texts.masking.text(str(attributes.get("model") or "")),
        "dialect": str(attributes.get("dialect") or ""),
        "status": str(last.status) if last else "",
        "error": without_addresses(texts.masking.text(last.error)) if last else "",
        "attempts": len(one.generations),
        "elapsed": elapsed(last),
        "tokens_in": one.tokens_in,
        "tokens_out": one.tokens_out,
        "stages": {
            name: _stage(name, last, stored, texts, of_answer if place > 1 else of_request)
            for place, name in enumerate(STAGES)
        },
    }


def _stage(
    name: str, span: Span | None, stored: StoredPayloads, texts: Texts, withheld: str
) -> SharedStage:
    payload = stored.get((span.pk, name)) if span else None
    if payload is None:
        return _withheld("missing" if span else "removed")
    if withheld:
        return _withheld(withheld)
    if payload.size > MAX_READ_STAGE_BYTES:
        return _withheld("large")
    try:
        body = payloads.load(payload)
        return _read(name, payload, body, texts)
    except (PayloadCorrupt, ValueError, RecursionError, LookupError, TypeError):
        return _withheld("bytes")


def _read(name: str, payload: Payload, body: bytes, texts: Texts) -> SharedStage:
    if name == "response":
        headers = payload_attributes(payload).get("headers") or ()
        return _response(decode_content(body, headers, MAX_UNPACKED_STAGE_BYTES), texts)
    value = json.loads(body)
    if not isinstance(value, dict):
        raise TypeError("no object")
    if name == "output":
        message = value.pop("message")
        return _shown([_message(message, texts)], [], value, texts)
    messages = _taken(value, "system", "instructions", "messages", "input")
    tools = _taken(value, "tools")
    return _shown(
        [_message(one, texts) for one in messages],
        [_tool(one, texts) for one in tools],
        value,
        texts,
    )


def _taken(value: dict[str, Any], *names: str) -> list[Any]:
    """Members that are taken out of a request; a text is a message of the system."""
    taken: list[Any] = []
    for name in names:
        if name not in value:
            continue
        member = value.pop(name)
        is_prompt = name in ("system", "instructions") and isinstance(member, list)
        if is_prompt or isinstance(member, str):
            taken.append({"role": name, "content": member})
        else:
            taken += member if isinstance(member, list) else [member]
    return taken


def _message(message: Any, texts: Texts) -> int:
    if not isinstance(message, dict):
        return texts.add("", "", message)
    rest = {key: one for key, one in message.items() if key not in ("role", "content")}
    content = message.get("content")
    others = [one for one in content if not _is_text(one)] if isinstance(content, list) else []
    if others:
        rest["content"] = [_without_bytes(one) for one in others]
    return texts.add(str(message.get("role") or ""), text_of(content), rest)


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str) and len(part) == 2


def _without_bytes(value: Any) -> Any:
    """A value without what is written as Base64."""
    match value:
        case str() if value.startswith("data:") or (len(value) > 2_000 and " " not in value):
            return f"… ({len(value):,})"
        case list():
            return [_without_bytes(one) for one in value]
        case dict():
            return {key: _without_bytes(one) for key, one in value.items()}
    return value


def _tool(tool: Any, texts: Texts) -> int:
    function = tool.get("function", tool) if isinstance(tool, dict) else {}
    name = str(function.get("name") or "") if isinstance(function, dict) else ""
    return texts.add("tool", name, tool)


def _response(body: bytes, texts: Texts) -> SharedStage:
    recorded = read_response(body, dump_json)
    if not recorded.parts:
        return _withheld("bytes")
    parts = [
        texts.add(part.kind, part.text, {"name": part.name} if part.name else None)
        for part in recorded.parts
    ]
    return _shown(parts, [], None, texts)


def _shown(messages: list[int], tools: list[int], rest: Any, texts: Texts) -> SharedStage:
    beside = texts.json(_without_bytes(rest))[:MAX_SHARED_STAGE] if rest else ""
    return {"messages": messages, "tools": tools, "rest": beside, "withheld": ""}


def _withheld(code: str) -> SharedStage:
    return {"messages": [], "tools": [], "rest": "", "withheld": code}

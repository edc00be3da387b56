"""Drafts: made from the input of a generation, and parsed with all their problems."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext

from chat.attachments.references import SCHEME
from chat.errors import Rejected
from chat.llm.json_text import parse_json
from chat.llm.messages import Message, ToolChoice, ToolDefinition
from chat.llm.parameters import NAMES
from chat.llm.request_members import DoubtfulName, read_members
from chat.llm.served import ModelInput
from chat.llm.shared_objects import reference_in, says_model
from chat.models import LanguageModel, Provider
from chat.providers import parameters as canonical
from chat.providers.fields import StopSequencesField, pretty
from chat.providers.parameters import OWN_KEYS, ParametersForm
from chat.trace_views.prompt.source import model_of
from db.public_ids import parse_public_id
from languages.later import later
from limits.replay import MAX_DRAFT_BYTES, MAX_DRAFT_PROBLEMS
from tracing.errors import PayloadCorrupt
from tracing.models import Payload, Span
from tracing.models.attributes import generation_attributes
from tracing.store import payloads

TOO_LONG = later(
    "This is more than the playground takes (%(most)s bytes of JSON): leave out some messages.",
    most=f"{MAX_DRAFT_BYTES:,}",
)
ROLES = ("system", "user", "assistant", "tool")
COMPLETIONS = ("native", "nous", "functions")
MESSAGES = ("anthropic",)


@dataclass(frozen=True)
class Problem:
    """A problem of a draft. `path`: such as `messages.2.tool_calls.0.function.name`."""

    path: str
    sentence: str


@dataclass(frozen=True)
class Draft:
    """A draft that can be sent. `dialect`: empty for the model's own."""

    model: LanguageModel
    dialect: str
    meant: ModelInput


class Unsendable(Rejected):
    """A draft that cannot be sent yet."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(gettext("Not sent. Correct the fields that are marked."))
        self.problems = list(problems)[:MAX_DRAFT_PROBLEMS]


@dataclass
class _Problems:
    found: list[Problem] = field(default_factory=list)

    def add(self, path: str, sentence: str) -> None:
        self.found.append(Problem(path, sentence))


def empty(model: LanguageModel | None) -> str:
    """The text of an empty draft."""
    messages = [{"role": "user", "content": ""}]
    if model and model.preset and model.preset.system_prompt:
        messages.insert(0, {"role": "system", "content": model.preset.system_prompt})
    return _text(model, "", {"messages": messages, "tools": []}, model.parameters if model else {})


def of_generation(generation: Span, offered: Sequence[LanguageModel]) -> str:
    """The text of the draft that repeats a generation. Raises Rejected."""
    value = _input(generation)
    original = model_of(generation)
    model = next((one for one in offered if one == original), next(iter(offered), None))
    dialect = str(generation_attributes(generation).get("dialect") or "")
    if model is None or model != original or dialect == model.speaks:
        dialect = ""
    text = _text(model, dialect, value, value.get("parameters") or {})
    if is_too_long(text):
        raise Rejected(TOO_LONG)
    return text


def is_too_long(text: str) -> bool:
    return len(text.encode(errors="replace")) > MAX_DRAFT_BYTES


def read(text: str, offered: Sequence[LanguageModel]) -> Draft:
    """The draft in this text. Raises Unsendable with all its problems."""
    try:
        value = parse_json(text)
    except ValueError as error:
        raise Unsendable(
            [Problem("", gettext("This is not JSON: %(error)s.") % {"error": error})]
        ) from None
    if not isinstance(value, dict):
        raise Unsendable([Problem("", gettext("A draft is a JSON object."))])
    problems = _Problems()
    model = _model(value.get("model"), offered, problems)
    dialect = _dialect(value.get("dialect") or "", model, problems)
    meant = ModelInput(
        _messages(value.get("messages"), problems),
        _tools(value.get("tools"), problems),
        _parameters(value.get("parameters"), problems),
        _tool_choice(value.get("tool_choice"), problems),
    )
    if model is not None:
        _check_reach(meant, model, problems)
    if problems.found or model is None:
        raise Unsendable(problems.found)
    return Draft(model, dialect, meant)


def dialects_of(model: LanguageModel) -> tuple[str, ...]:
    """The dialects that the model's provider can be spoken with in."""
    return MESSAGES if model.provider.kind == Provider.Kind.ANTHROPIC else COMPLETIONS


def _text(model: LanguageModel | None, dialect: str, value: dict[str, Any], parameters: Any) -> str:
    draft = {
        "model": str(model.public_id) if model else "",
        "dialect": dialect,
        "messages": value.get("messages") or [],
        "tools": value.get("tools") or [],
        "parameters": parameters,
    }
    if value.get("tool_choice") is not None:
        draft["tool_choice"] = value["tool_choice"]
    return pretty(draft)


def _input(generation: Span) -> dict[str, Any]:
    stored = (
        Payload.objects.select_related("span__trace")
        .filter(span=generation, stage=Payload.Stage.INPUT)
        .first()
    )
    if stored is None:
        raise Rejected(gettext("What this attempt was given is not recorded."))
    try:
        value = payloads.read_json(stored)
    except PayloadCorrupt as error:
        raise Rejected(
            gettext("The stored data is damaged: %(reason)s.") % {"reason": error.reason}
        ) from error
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Rejected(gettext("What this attempt was given cannot be read: see its bytes."))
    return value


def _model(
    wanted: Any, offered: Sequence[LanguageModel], problems: _Problems
) -> LanguageModel | None:
    named = parse_public_id(wanted)
    model = next((one for one in offered if one.public_id == named), None)
    if model is None:
        problems.add("model", gettext("Choose an available model."))
    return model


def _dialect(wanted: Any, model: LanguageModel | None, problems: _Problems) -> str:
    if not wanted or model is None:
        return ""
    known = dialects_of(model)
    if wanted not in known:
        problems.add(
            "dialect",
            gettext("%(model)s can be spoken with in: %(known)s.")
            % {"model": model, "known": ", ".join(known)},
        )
        return ""
    return str(wanted)


def _messages(value: Any, problems: _Problems) -> list[Message]:
    if not isinstance(value, list) or not value:
        problems.add("messages", gettext("Add a message."))
        return []
    for number, message in enumerate(value):
        _check_message(message, f"messages.{number}", problems)
    if all(isinstance(one, dict) and one.get("role") == "system" for one in value):
        problems.add("messages", gettext("Add a message that is not of the role system."))
    return value


def _check_message(message: Any, path: str, problems: _Problems) -> None:
    if not isinstance(message, dict):
        problems.add(path, gettext("A message is a JSON object."))
        return
    if message.get("role") not in ROLES:
        problems.add(
            f"{path}.role", gettext("The role is one of %(roles)s.") % {"roles": ", ".join(ROLES)}
        )
    _check_content(message, path, problems)
    for name in ("reasoning_content", "refusal", "name"):
        if not isinstance(message.get(name) or "", str):
            problems.add(f"{path}.{name}", gettext("This is a text."))
    if not isinstance(message.get("tool_call_id", ""), str):
        problems.add(f"{path}.tool_call_id", gettext("This is a text: the id of a call."))
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list):
        problems.add(f"{path}.tool_calls", gettext("This is a list of calls."))
        return
    for number, call in enumerate(calls):
        _check_call(call, f"{path}.tool_calls.{number}", problems)


def _check_content(message: dict[str, Any], path: str, problems: _Problems) -> None:
    content = message.get("content")
    if isinstance(content, list):
        for number, part in enumerate(content):
            if not isinstance(part, dict) or not isinstance(part.get("type"), str):
                problems.add(
                    f"{path}.content.{number}", gettext("A part is an object with a type.")
                )
        return
    if not isinstance(content, str | None):
        problems.add(f"{path}.content", gettext("The content is a text, or a list of parts."))
    elif message.get("role") in ("system", "user") and not (content or "").strip():
        problems.add(f"{path}.content", gettext("Write something here, or remove the message."))


def _check_call(call: Any, path: str, problems: _Problems) -> None:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        problems.add(path, gettext('A call is {"id", "type", "function": {"name", "arguments"}}.'))
        return
    call.setdefault("type", "function")
    if not isinstance(call.setdefault("id", ""), str):
        problems.add(f"{path}.id", gettext("This is a text."))
    if not isinstance(function.get("name"), str) or not function["name"].strip():
        problems.add(f"{path}.function.name", gettext("Name the tool."))
    if not isinstance(function.setdefault("arguments", ""), str):
        problems.add(f"{path}.function.arguments", gettext("Arguments are JSON text, in quotes."))


def _tools(value: Any, problems: _Problems) -> list[ToolDefinition]:
    """A list; or, where it was typed as a text, what that text is."""
    if isinstance(value, str):
        try:
            value = parse_json(value) if value.strip() else []
        except ValueError as error:
            problems.add("tools", gettext("This is not JSON: %(error)s.") % {"error": error})
            return []
    if value is None:
        return []
    if not isinstance(value, list):
        problems.add("tools", gettext("Tools are a JSON list."))
        return []
    for number, tool in enumerate(value, 1):
        function = tool.get("function") if isinstance(tool, dict) else None
        name = function.get("name") if isinstance(function, dict) else None
        if not isinstance(name, str) or not name:
            form = '{"type": "function", "function": {"name": …, "parameters": {…}}}'
            problems.add(
                "tools",
                gettext("Tool %(number)s is not of the form %(form)s.")
                % {"number": number, "form": form},
            )
    return value


def _tool_choice(value: Any, problems: _Problems) -> ToolChoice | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str | dict):
        problems.add("tool_choice", gettext("This is auto, none, required, or an object."))
        return None
    return value


def _check_reach(meant: ModelInput, model: LanguageModel, problems: _Problems) -> None:
    """A draft asks its model alone, and for nothing that the provider keeps for others who have
    the same key. What an admin has set for the model may say otherwise."""
    admins = _flat(model.parameters)
    own = {
        name: value
        for name, value in _flat(meant.parameters).items()
        if name not in admins or value != admins[name]
    }
    for name in own:
        if name.casefold() in OWN_KEYS:
            problems.add(f"parameters.{name}", gettext("This cannot be set here."))
    try:
        settings = list(read_members(json.dumps({**own, "tools": meant.tools}).encode()))
        messages = list(read_members(json.dumps({"messages": meant.messages}).encode()))
    except DoubtfulName as error:
        problems.add("", gettext("“%(name)s” stands twice in one object.") % {"name": error.name})
        return
    except ValueError:
        problems.add("", gettext("This is nested too deeply."))
        return
    for member in settings:
        if says_model(member.name):
            problems.add(f"parameters.{member.name}", gettext("This cannot be set here."))
    members = [
        member
        for member in (*settings, *messages)
        if not (isinstance(member.value, str) and member.value.startswith(SCHEME))  # a file of ours
    ]
    name = "" if model.provider.shares_objects else reference_in(members)
    if name:
        sentence = gettext("“%(name)s” refers to an object that the provider keeps for everybody.")
        problems.add("", sentence % {"name": name})


def _flat(parameters: dict[str, Any]) -> dict[str, Any]:
    extra = parameters.get("extra")
    flat = {name: value for name, value in parameters.items() if name != "extra"}
    return flat | extra if isinstance(extra, dict) else flat


def _parameters(value: Any, problems: _Problems) -> dict[str, Any]:
    if not isinstance(value, dict | None):
        problems.add("parameters", gettext("Parameters are a JSON object."))
        return {}
    rest = {name: one for name, one in (value or {}).items() if one is not None}
    typed = {name: rest.pop(name) for name in NAMES if name in rest}
    extra = rest.pop("extra", {})
    if isinstance(typed.get("stop"), list):
        typed["stop"] = StopSequencesField().prepare_value(list(map(str, typed["stop"])))
    form = ParametersForm(
        {**typed, "extra": extra if isinstance(extra, str) else json.dumps(extra)}
    )
    if not form.is_valid():
        for name, errors in form.errors.items():
            problems.add(f"parameters.{name}", " ".join(map(str, errors)))
        return {}
    return rest | canonical.from_fields(form.cleaned_data)

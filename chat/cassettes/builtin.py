"""A cassette as a built-in provider, served below `/cassettes/<name>/v1`."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from chat.cassettes.library import Library
from chat.cassettes.reading import read
from chat.cassettes.recorded import Cassette, CassetteGeneration, CassetteTurn
from chat.errors import BrokenCassette, Rejected
from chat.models import CassetteFile, LanguageModel, Preset, Provider
from limits.replay import MAX_CACHED_CASSETTES, MAX_CASSETTE_NAME, MAX_CASSETTE_STARTERS
from tools.models import Policy
from tracing.store import compression


def find(name: str) -> Provider | None:
    """The built-in provider whose URL has this name."""
    built_in = Provider.objects.filter(kind=Provider.Kind.CASSETTE)
    return next((provider for provider in built_in if provider.slug == name), None)


def is_allowed(headers: Mapping[str, str], provider: Provider) -> bool:
    """Whether the request has the provider's key, as bearer token or in `X-Api-Key`."""
    bearer = headers.get("Authorization", "").removeprefix("Bearer ")
    key = bearer or headers.get("X-Api-Key", "")
    return secrets.compare_digest(key.encode(), provider.api_key.encode())


def library(provider: Provider) -> Library | None:
    """The provider's cassette; None if it has no file."""
    files = CassetteFile.objects.filter(provider=provider)
    row = files.values_list("pk", "created").first()
    return None if row is None else _library(*row)


@lru_cache(maxsize=MAX_CACHED_CASSETTES)
def _library(pk: int, created: datetime) -> Library:
    """Cached: a file never changes, and another upload is another row."""
    return Library(read(compression.unpack(bytes(CassetteFile.objects.get(pk=pk).compressed))))


def add(document: bytes, name: str, uploader: User | None = None) -> Provider:
    """Creates a provider for a cassette, with its models and a preset with its prompt and tools.

    Raises `BrokenCassette`, also if it has no answers or answers of two protocols, and
    `Rejected` for a name that is taken.
    """
    cassette = read(document)
    name = (name.strip() or cassette.name.strip() or "Cassette")[:MAX_CASSETTE_NAME].strip()
    _check(cassette, name)
    first = cassette.generations[0]
    with transaction.atomic():
        provider = Provider.objects.create(
            name=name,
            kind=Provider.Kind.CASSETTE,
            api_key=secrets.token_urlsafe(32),
            service="anthropic" if first.protocol == "anthropic" else "",
        )
        CassetteFile.objects.create(
            provider=provider,
            compressed=compression.pack(document),
            size=len(document),
            answers=len(cassette.generations),
            uploader=uploader,
        )
        _add_models(provider, cassette, _preset(name, cassette))
    return provider


def _check(cassette: Cassette, name: str) -> None:
    if not cassette.generations:
        raise BrokenCassette(gettext("This cassette has no recorded answers."))
    if len({generation.protocol for generation in cassette.generations}) > 1:
        raise BrokenCassette(
            gettext(
                "This cassette has answers of chat completions and of the Messages API; a provider "
                "speaks one of them. Export the turns of each by themselves."
            )
        )
    taken = Provider.objects.filter(name=name).exists()
    if taken or find(Provider(name=name).slug) is not None:
        raise Rejected(
            gettext("A provider named %(name)s already exists. Choose another name.")
            % {"name": name}
        )


def _add_models(provider: Provider, cassette: Cassette, preset: Preset | None) -> None:
    by_model: dict[str, CassetteGeneration] = {}
    for generation in cassette.generations:
        by_model.setdefault(generation.model, generation)
    position = LanguageModel.objects.next_position()
    LanguageModel.objects.bulk_create(
        LanguageModel(
            provider=provider,
            name=generation.model,
            label=f"{generation.model} ({provider.name})"[:80],
            dialect=_dialect(generation),
            preset=preset,
            parameters=generation.parameters,
            takes_tools=bool(generation.settings.get("takes_tools", True)),
            takes_images=bool(generation.settings.get("takes_images", False)),
            returns_reasoning=_returns_reasoning(generation),
            position=position + place,
        )
        for place, generation in enumerate(by_model.values())
    )


def _dialect(generation: CassetteGeneration) -> str:
    known = LanguageModel.Dialect.values
    return generation.dialect if generation.dialect in known else LanguageModel.Dialect.NATIVE


def _returns_reasoning(generation: CassetteGeneration) -> str:
    setting = generation.settings.get("returns_reasoning")
    known = LanguageModel.ReturnsReasoning.values
    return setting if setting in known else LanguageModel.ReturnsReasoning.NEVER


def _preset(name: str, cassette: Cassette) -> Preset | None:
    """The recorded system prompt and tools, and the questions with which conversations began."""
    questions = [turn for turn in cassette.turns if not turn.call]  # by people, not by an agent
    openings = [turn.opening for turn in questions if turn.opening is not None]
    if not openings:
        return None
    system = openings[0].messages[0] if openings[0].messages else {}
    names = [tool.get("function", {}).get("name") for tool in openings[0].tools]
    tools = [tool for tool in names if isinstance(tool, str)]
    taken = Preset.objects.filter(name=name).exists()
    return Preset.objects.create(
        name=f"{name[:60]} {secrets.token_hex(4)}" if taken else name,
        system_prompt=_text(system) if system.get("role") == "system" else "",
        tools=tools,
        policies=[[tool, Policy.ASK.value] for tool in tools],
        starters=_starters(questions),
    )


def _starters(turns: Sequence[CassetteTurn]) -> list[str]:
    """First questions of conversations."""
    questions = [
        _text(turn.opening.messages[-1])
        for turn in turns
        if turn.opening is not None
        and [message["role"] for message in turn.opening.messages] in (["system", "user"], ["user"])
    ]
    return list(dict.fromkeys(filter(None, questions)))[:MAX_CASSETTE_STARTERS]


def _text(message: dict[str, object]) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else ""

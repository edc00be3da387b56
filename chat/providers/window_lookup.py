"""Learns a model's context window from its server.

llama.cpp uses the window of its option `--ctx-size`, Ollama and LM Studio the one with which they
loaded the model; their lists may name that of the training, or none.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import httpx2
from django.db.models import Q

from chat.errors import Rejected
from chat.llm.json_text import parse_json
from chat.llm.services import CUSTOM, LLAMA_CPP, OLLAMA
from chat.models import LanguageModel, Provider
from chat.providers import listing
from chat.providers.catalogue import ListedModel
from limits.models import MAX_LISTED_WINDOW

Source = LanguageModel.WindowSource
# Services whose server may be llama.cpp, Ollama or LM Studio.
_OWN_SERVERS = frozenset({CUSTOM.slug, LLAMA_CPP.slug, OLLAMA.slug})


def look_up(model: LanguageModel) -> tuple[int, Source] | None:
    """The window in tokens with its source; None if no source names one, or an admin has set one.
    Reads no row besides the model and its provider."""
    provider = model.provider
    if provider.kind == Provider.Kind.CASSETTE or model.has_own_window:
        return None
    if window := _of_server(provider, model.name):
        return window, Source.SERVER
    listed = _listed(provider, model.name)
    return (listed, Source.LISTING) if listed else None


def keep_listed(provider: Provider, models: list[ListedModel]) -> None:
    """Stores the windows of a list, except where the server itself has named one."""
    windows = {model.id: model.context_window for model in models if model.context_window}
    for row in provider.language_models.filter(name__in=windows):
        if row.window_source != Source.SERVER:
            keep(row, windows[row.name], Source.LISTING)


def keep(model: LanguageModel, tokens: int, source: Source) -> None:
    """Stores the window by compare-and-set, unless an admin has set one."""
    rows = LanguageModel.objects.filter(pk=model.pk)
    is_learned = Q(context_window=None) | ~Q(window_source=Source.ADMIN)
    rows.filter(is_learned).update(context_window=tokens, window_source=source)


def _listed(provider: Provider, name: str) -> int | None:
    try:
        models = listing.ask(provider)
    except Rejected:
        return None
    return next((model.context_window for model in models if model.id == name), None)


def _of_server(provider: Provider, name: str) -> int | None:
    if provider.protocol != "openai" or provider.service not in _OWN_SERVERS:
        return None
    root = provider.endpoint.rstrip("/").removesuffix("/v1")
    for path, read in _PATHS.items():
        value = _get(provider, f"{root}{path.format(quote(name, safe=''))}")
        window = read(value, name) if isinstance(value, dict) else None
        if type(window) is int and 0 < window <= MAX_LISTED_WINDOW:
            return window
    return None


def _get(provider: Provider, url: str) -> Any:
    """The JSON value at this address; None if there is none."""
    try:
        status, _, body = listing.get(url, listing.headers(provider))
        return parse_json(body.decode()) if status == 200 else None
    except (Rejected, httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError):
        return None


def _llama_cpp(value: dict[str, Any], name: str) -> Any:
    settings = value.get("default_generation_settings")
    return settings.get("n_ctx") if isinstance(settings, dict) else None


def _ollama(value: dict[str, Any], name: str) -> Any:
    """The window of a loaded model; `latest` is the default tag."""
    loaded = value.get("models")
    names = {name, f"{name}:latest"}
    windows = (
        one.get("context_length")
        for one in (loaded if isinstance(loaded, list) else ())
        if isinstance(one, dict) and names & {str(one.get("name")), str(one.get("model"))}
    )
    return next(windows, None)


def _lm_studio(value: dict[str, Any], name: str) -> Any:
    return value.get("loaded_context_length")


_PATHS: dict[str, Callable[[dict[str, Any], str], Any]] = {
    "/props": _llama_cpp,
    "/api/ps": _ollama,
    "/api/v0/models/{}": _lm_studio,
}

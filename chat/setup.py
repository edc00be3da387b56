"""Creates what a deployment begins with: an owner, the walkthrough, the skills; a provider with a
model, and a local model, if the environment names them."""

import os
import secrets
import sys
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction

from chat.agent import skill_folders
from chat.cassettes import walkthrough
from chat.llm.services import LLAMA_CPP
from chat.models import LanguageModel, Preset, Provider
from chat.presets import shipped as presets
from languages.shipped import shipped
from tools.models import Policy, Server

OWNER = "owner"
ENVIRONMENT = "Environment"
WALKTHROUGH = "Walkthrough"
LOCAL = "Local model"
DEFAULT_MODEL = "gpt-4.1-mini"
# For SmolLM2-135M: temperature and top_p as its makers recommend; without the penalty it repeats
# lines.
BUNDLED_LABEL = "SmolLM2 135M (too small for tools)"
BUNDLED_PARAMETERS = {
    **{"temperature": 0.2, "top_p": 0.9, "max_tokens": 512},
    "extra": {"repeat_penalty": 1.1},
}
BUNDLED_STARTERS = (
    shipped("Explain in two sentences what a database is."),
    shipped("Write a short poem about the sea."),
    shipped("What is the difference between a lake and a river?"),
    shipped("Tell me three facts about the moon."),
)


def prepare() -> None:
    """Creates what is missing, and updates rows from the environment. Idempotent."""
    with transaction.atomic():
        ensure_owner()
        ensure_server()
        ensure_walkthrough()
        presets.ensure()
        follow_environment()
        follow_local_model()
        choose_default()
        skill_folders.refresh()


def ensure_owner() -> Any:
    """The first administrator; signs in by a one-time link until a password is set."""
    users = get_user_model()
    owner = users.objects.filter(is_superuser=True).order_by("pk").first()
    if owner is None:
        owner = users.objects.create_superuser(OWNER, password=None)
    return owner


def ensure_server() -> Server:
    """The sqlite server, which gives each conversation a new database with the article's tables."""
    arguments = ["-m", "tools.mcp.servers.sqlite", "--db-path", "{workspace}/walkthrough.sqlite3"]
    fields = {
        "command": sys.executable,
        "args": [*arguments, "--seed", "walkthrough"],
        "cwd": str(settings.BASE_DIR),
    }
    server, is_new = Server.objects.get_or_create(
        name="sqlite",
        defaults={**fields, "idempotent_tools": ["read_query", "list_tables", "describe_table"]},
    )
    if not is_new and server.args[:2] == arguments[:2]:
        # The checkout or its virtual environment may have moved.
        Server.objects.filter(pk=server.pk).update(command=fields["command"], cwd=fields["cwd"])
    return server


def ensure_walkthrough() -> LanguageModel:
    """The recorded model, with the article's system prompt and six tools."""
    provider, _ = Provider.objects.get_or_create(
        name=WALKTHROUGH,
        defaults={"kind": Provider.Kind.CASSETTE, "api_key": secrets.token_urlsafe(32)},
    )
    preset, is_new = Preset.objects.get_or_create(
        owner=None,
        name=WALKTHROUGH,
        defaults={
            "system_prompt": walkthrough.system_prompt(),
            "tools": walkthrough.tool_names(),
            "policies": _allowed(walkthrough.tool_names()),
            "starters": list(walkthrough.questions()),
        },
    )
    # A preset that is older than policies. An admin's policies stay.
    if not is_new and not preset.policies:
        preset.policies = _allowed(walkthrough.tool_names())
        preset.save(update_fields=["policies"])
    model, _ = LanguageModel.objects.get_or_create(
        provider=provider,
        name=walkthrough.MODEL,
        defaults={
            "label": WALKTHROUGH,
            "dialect": LanguageModel.Dialect.NOUS,
            "preset": preset,
        },
    )
    return model


def _allowed(names: list[str]) -> list[list[str]]:
    return [[name, Policy.ALLOW.value] for name in names]


def follow_environment() -> None:
    """`OPENAI_*` names a provider and a model; without them that provider is not offered."""
    key = os.environ.get("OPENAI_API_KEY", "")
    base_url = os.environ.get("OPENAI_BASE_URL", "")
    if not key and not base_url:
        Provider.objects.filter(name=ENVIRONMENT).update(enabled=False)
        return
    provider, _ = Provider.objects.update_or_create(
        name=ENVIRONMENT,
        defaults={
            "base_url": base_url or "https://api.openai.com/v1",
            "api_key": key,
            "enabled": True,
        },
    )
    LanguageModel.objects.get_or_create(
        provider=provider, name=os.environ.get("OPENAI_MODEL") or DEFAULT_MODEL
    )


def follow_local_model() -> None:
    """The model that the supervisor runs; without one its provider is not offered.

    Another model file changes the one row, so that conversations continue with it.
    """
    local = settings.LOCAL_MODEL
    if not local:
        Provider.objects.filter(name=LOCAL).update(enabled=False)
        return
    connection = {
        "base_url": local["base_url"],
        "api_key": local["api_key"],
        "service": LLAMA_CPP.slug,
        "enabled": True,
    }
    provider, _ = Provider.objects.update_or_create(name=LOCAL, defaults=connection)
    models = LanguageModel.objects.filter(provider=provider)
    if models.filter(name=local["name"]).update(context_window=local["context"]):
        return
    fields = _local_fields(local)
    if (row := models.order_by("pk").first()) is None:
        LanguageModel.objects.create(provider=provider, **fields)
    else:
        models.filter(pk=row.pk).update(**fields)


def _local_fields(local: dict[str, Any]) -> dict[str, Any]:
    """The dialect is `native`, because llama.cpp applies the template of the model file."""
    bundled: bool = local["bundled"]
    return {
        "name": local["name"],
        "label": BUNDLED_LABEL if bundled else "",
        "dialect": LanguageModel.Dialect.NATIVE,
        "preset": _bundled_preset() if bundled else None,
        "parameters": BUNDLED_PARAMETERS if bundled else {},
        "context_window": local["context"],
        "takes_tools": not bundled,
        "takes_images": False,
        "chat_template": "",
        "probed": {},
        "check_state": LanguageModel.Check.IDLE,
        "check_error": "",
        "check_trace": None,
    }


def _bundled_preset() -> Preset:
    preset, _ = Preset.objects.get_or_create(
        owner=None, name=LOCAL, defaults={"tools": [], "starters": list(BUNDLED_STARTERS)}
    )
    return preset


def choose_default() -> None:
    """Sets the default model: the one that `OPENAI_MODEL` names, else an admin's choice, else any.

    The local model and the walkthrough do not count as an admin's choice.
    """
    offered = LanguageModel.objects.offered()
    of_environment = offered.filter(provider__name=ENVIRONMENT)
    by_admin = offered.filter(is_default=True).exclude(provider__name__in=[WALKTHROUGH, LOCAL])
    default = (
        of_environment.filter(name=os.environ.get("OPENAI_MODEL", "")).first()
        or by_admin.first()
        or of_environment.filter(name=DEFAULT_MODEL).first()
        or offered.filter(provider__name=LOCAL).first()
        or offered.first()
    )
    if default is not None and not default.is_default:
        LanguageModel.objects.filter(is_default=True).update(is_default=False)
        LanguageModel.objects.filter(pk=default.pk).update(is_default=True)

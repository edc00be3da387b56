"""What a fresh deployment begins with: an owner, the walkthrough, the model of the environment."""

import os
import secrets
import sys
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction

from chat.models import LanguageModel, Preset, Provider
from chat.replay import walkthrough
from tools.models import Server

OWNER = "owner"
ENVIRONMENT = "Environment"
WALKTHROUGH = "Walkthrough"
DEFAULT_MODEL = "gpt-4.1-mini"


def prepare() -> None:
    """Makes what is missing and follows the environment. Doing it again changes nothing."""
    with transaction.atomic():
        ensure_owner()
        ensure_server()
        ensure_walkthrough()
        follow_environment()
        choose_default()


def ensure_owner() -> Any:
    """The first administrator; signs in by a one-time link until a password is set."""
    users = get_user_model()
    owner = users.objects.filter(is_superuser=True).order_by("pk").first()
    if owner is None:
        owner = users.objects.create_superuser(OWNER, password=None)
    return owner


def ensure_server() -> Server:
    """Our sqlite server, with a fresh database of the article's tables a conversation."""
    arguments = ["-m", "tools.mcp.servers.sqlite", "--db-path", "{workspace}/walkthrough.sqlite3"]
    fields = {
        "command": sys.executable,
        "args": [*arguments, "--seed", "walkthrough"],
        "cwd": str(settings.BASE_DIR),
    }
    server, made = Server.objects.get_or_create(
        name="sqlite",
        defaults={**fields, "idempotent_tools": ["read_query", "list_tables", "describe_table"]},
    )
    if not made and server.args[:2] == arguments[:2]:
        # The checkout or its virtual environment may have moved.
        Server.objects.filter(pk=server.pk).update(command=fields["command"], cwd=fields["cwd"])
    return server


def ensure_walkthrough() -> LanguageModel:
    """The recorded model, with the article's system prompt and six tools."""
    provider, _ = Provider.objects.get_or_create(
        name=WALKTHROUGH,
        defaults={"kind": Provider.Kind.CASSETTE, "api_key": secrets.token_urlsafe(32)},
    )
    preset, _ = Preset.objects.get_or_create(
        name=WALKTHROUGH,
        defaults={
            "system_prompt": walkthrough.system_prompt(),
            "tools": walkthrough.tool_names(),
            "starters": list(walkthrough.questions()),
        },
    )
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


def choose_default() -> None:
    """The environment's model if there is one, else what an admin chose, else the walkthrough."""
    offered = LanguageModel.objects.offered()
    name = os.environ.get("OPENAI_MODEL") or DEFAULT_MODEL
    wanted = (
        offered.filter(provider__name=ENVIRONMENT, name=name).first()
        or offered.filter(is_default=True).first()
        or offered.first()
    )
    if wanted is not None and not wanted.is_default:
        LanguageModel.objects.filter(is_default=True).update(is_default=False)
        LanguageModel.objects.filter(pk=wanted.pk).update(is_default=True)

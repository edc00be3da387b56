"""The admin's names and what ships, in the reader's language."""

import re

import pytest
from django.contrib import admin
from django.db.models import Model
from django.utils import translation

from chat.presets import shipped as presets
from languages.shipped import in_language
from tools import local
from tools.values.tool import Tool

OWN = ("accounts", "audit", "chat", "tokens", "tools", "tracing")
MODELS = [model for model in admin.site._registry if model._meta.app_label in OWN]
# Names and abbreviations that are the same in Chinese.
SAME = {"ID", "id", "API", "URL", "OAuth", "MCP", "OpenAI", "Anthropic", "Messages", "Nous", "SSE"}
SAME |= {"stdio", "token", "Streamable", "HTTP", "schema", "PDF", "DOCX", "genai", "prices"}


def english(text: object) -> set[str]:
    return set(re.findall(r"[A-Za-z]{2,}", str(text))) - SAME


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_names_of_a_model_and_its_columns_are_chinese(model: type[Model]) -> None:
    options = model._meta
    names = [options.verbose_name, options.verbose_name_plural, options.app_config.verbose_name]
    for column in options.local_fields:
        choices = [label for _, label in column.flatchoices]
        names += [column.verbose_name, column.help_text, *choices]
    with translation.override("zh-hans"):
        assert not [str(name) for name in names if english(name)]


def test_in_english_they_are_as_django_makes_them() -> None:
    (server,) = (model for model in MODELS if model.__name__ == "ServerTool")
    with translation.override("en"):
        assert str(server._meta.verbose_name_plural) == "server tools"
        (column,) = (one for one in server._meta.local_fields if one.name == "input_schema")
        assert str(column.verbose_name) == "input schema"


def test_what_ships_is_read_in_chinese_and_a_change_of_it_as_it_is() -> None:
    texts = [tool.description for tool in local.TOOLS]
    texts += [about["description"] for tool in local.TOOLS for about in _parameters(tool)]
    for name, fields in presets._all().items():
        texts += [name, fields["description"]]
    with translation.override("zh-hans"):
        assert not [text for text in texts if text and in_language(text) == text]
        assert in_language("Coding assistant of ours") == "Coding assistant of ours"
    with translation.override("en"):
        assert in_language("Coding assistant") == "Coding assistant"


def _parameters(tool: Tool) -> list[dict[str, str]]:
    properties = tool.parameters["properties"].values()
    return [about for about in properties if about.get("description")]

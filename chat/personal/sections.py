"""The sections of the page of settings, in order.

A section is a heading and a template, `templates/settings/_<name>.html`. Where it is a form of
columns of `PersonalSettings`, the page keeps it; any other section posts to addresses of its own,
and `context` gives its template what it shows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from chat.own_data.section import section as data_section
from chat.personal import api_tokens, facts, programs, security, sessions, usage
from chat.personal.forms import AppearanceForm, ChatsForm, GeneralForm, PersonalForm
from chat.sharing.section import section as links_section
from db.users import AnyUser


def _nothing(request: HttpRequest) -> dict[str, Any]:
    return {}


def _of_user(context: Callable[[AnyUser], dict[str, Any]]) -> "Context":
    return lambda request: context(request.user)


def _sessions(request: HttpRequest) -> dict[str, Any]:
    return {"sessions": sessions.of(request.user, request.session.session_key)}


def _about(request: HttpRequest) -> dict[str, Any]:
    return {"version": settings.VERSION}


Context = Callable[[HttpRequest], dict[str, Any]]


@dataclass(frozen=True)
class Section:
    # Of the anchor, the address and the template.
    name: str
    title: str | Promise
    form: type[PersonalForm] | None = None
    context: Context = _nothing

    @property
    def template(self) -> str:
        return "settings/_form.html" if self.form else f"settings/_{self.name}.html"


SECTIONS = (
    Section("general", _("General"), GeneralForm),
    Section("language", _("Language")),
    Section("appearance", _("Appearance"), AppearanceForm),
    Section("chats", _("Conversations"), ChatsForm),
    Section("memory", pgettext_lazy("settings", "Memory"), context=_of_user(facts.context)),
    Section("usage", _("Usage"), context=usage.context),
    Section("security", _("Security"), context=_of_user(security.context)),
    Section("sessions", _("Sessions"), context=_sessions),
    Section("tokens", _("API tokens"), context=api_tokens.context),
    Section("programs", _("Connected programs"), context=_of_user(programs.context)),
    Section("webhooks", _("Webhooks")),
    Section("links", _("Shared links"), context=links_section),
    Section("data", _("Data"), context=_of_user(data_section)),
    Section("about", _("About"), context=_about),
)
BY_NAME = {section.name: section for section in SECTIONS}

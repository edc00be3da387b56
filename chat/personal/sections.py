"""The sections of the page of settings, in order.

A section is a heading and a template, `templates/settings/_<name>.html`. Where it is a form of
columns of `PersonalSettings`, the page keeps it; any other section posts to addresses of its own,
and `context` gives its template what it shows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from chat.personal.forms import AppearanceForm, ChatsForm, GeneralForm, PersonalForm
from db.users import AnyUser


def _nothing(user: AnyUser) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Section:
    # Of the anchor, the address and the template.
    name: str
    title: str | Promise
    form: type[PersonalForm] | None = None
    context: Callable[[AnyUser], dict[str, Any]] = _nothing

    @property
    def template(self) -> str:
        return "settings/_form.html" if self.form else f"settings/_{self.name}.html"


SECTIONS = (
    Section("general", _("General"), GeneralForm),
    Section("appearance", _("Appearance"), AppearanceForm),
    Section("chats", _("Conversations"), ChatsForm),
)
BY_NAME = {section.name: section for section in SECTIONS}

"""The projects of a person, as the sidebar and the empty page have them: without a query of their
own, because the list of conversations brings them along."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import TextField
from django.db.models.expressions import RawSQL
from django.urls import reverse

from chat.models import Project
from db.users import AnyUser

_COLUMNS = "p.public_id, p.name, p.colour, a.public_id"
_ROWS = """chat_project AS p LEFT JOIN chat_preset AS a ON a.id = p.preset_id
    WHERE p.owner_id = %s AND p.archived IS NULL"""
_SQLITE = f"SELECT json_group_array(json_array({_COLUMNS})) FROM {_ROWS}"
_POSTGRESQL = f"SELECT json_agg(json_build_array({_COLUMNS}))::text FROM {_ROWS}"


@dataclass(frozen=True)
class ProjectLink:
    """A project that is not archived; `assistant` is that of its new conversations."""

    public_id: UUID
    name: str
    colour: str
    assistant: UUID | None = None

    @property
    def url(self) -> str:
        return reverse("projects:project", args=[self.public_id])


def projects_column(user: AnyUser) -> RawSQL:
    """The user's projects as JSON in the first row of conversations, null in the others."""
    rows = _POSTGRESQL if connection.vendor == "postgresql" else _SQLITE
    first = 'ROW_NUMBER() OVER (ORDER BY "chat_conversation"."id") = 1'
    sql = f"CASE WHEN {first} THEN ({rows}) END"
    return RawSQL(sql, [user.pk], output_field=TextField())


def read_projects(texts: Iterable[str | None]) -> list[ProjectLink]:
    """By name, from the column of all rows."""
    rows: list[Any] = next((json.loads(text) for text in texts if text), [])
    links = [_link(*row) for row in rows]
    return sorted(links, key=lambda link: (link.name.casefold(), link.public_id))


def projects_of(user: AnyUser) -> list[ProjectLink]:
    """The same in a query, for who has no conversations in the list."""
    columns = ("public_id", "name", "colour", "preset__public_id")
    rows = Project.objects.listed_for(user).values_list(*columns)
    return sorted(
        (_link(*row) for row in rows), key=lambda link: (link.name.casefold(), link.public_id)
    )


def _link(public_id: Any, name: str, colour: str, assistant: Any) -> ProjectLink:
    own = UUID(str(assistant)) if assistant else None
    return ProjectLink(UUID(str(public_id)), name, colour, own)

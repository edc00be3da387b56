"""What a person chose to share, as the form of the page says it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import QueryDict
from django.utils.translation import gettext as _

from chat.errors import Rejected
from chat.models import SharedLink
from chat.sharing import policy
from db.public_ids import parse_public_id
from limits.sharing import MAX_REDACTIONS

# Of the form, and columns of a link.
PARTS = (
    *("with_results", "with_reasoning", "with_attachments", "with_traces"),
    *("with_subagents", "with_name"),
)
_DEFAULT_PARTS = ("with_results", "with_attachments")
# What a trace has too.
_IN_TRACES = frozenset({"with_results", "with_reasoning", "with_attachments"})


@dataclass(frozen=True)
class Choices:
    """`title`: None for the conversation's. `turn` is the last turn of the branch, or the only one
    (`is_single`), by its public id; None for the last shown one. `hidden` are keys of the document.
    `days`: 0 for no end."""

    title: str | None = None
    turn: UUID | None = None
    is_single: bool = False
    is_snapshot: bool = True
    audience: str = SharedLink.Audience.SIGNED_IN
    days: int = 7
    parts: frozenset[str] = frozenset(_DEFAULT_PARTS)
    hidden: frozenset[str] = frozenset()

    @property
    def columns(self) -> dict[str, Any]:
        """Of the link."""
        return {
            "is_single": self.is_single,
            "is_snapshot": self.is_snapshot,
            "audience": self.audience,
            "redactions": sorted(self.hidden),
            "ends": policy.end(self.days),
            **{name: name in self.parts for name in PARTS},
        }

    def draft(self) -> SharedLink:
        """A link with these choices that is not stored: for the preview."""
        return SharedLink(**self.columns)


def default(turn: UUID | None = None) -> Choices:
    offered = policy.days()
    return Choices(turn=turn, days=7 if 7 in offered else offered[0])


def read(given: QueryDict) -> Choices:
    """Of a form. Raises `Rejected`."""
    hidden = frozenset(given.getlist("hide"))
    if len(hidden) > MAX_REDACTIONS or any(len(one) > 100 for one in hidden):
        raise Rejected(_("Too much is hidden one by one. Share less of the conversation."))
    parts = frozenset(name for name in PARTS if given.get(name))
    return Choices(
        title=given.get("title"),
        turn=parse_public_id(given.get("turn")),
        is_single=given.get("scope") == "single",
        is_snapshot=given.get("kind") != "live",
        audience=_audience(given),
        days=_days(given),
        parts=parts | _IN_TRACES if "with_traces" in parts else parts,
        hidden=hidden,
    )


def _audience(given: Mapping[str, Any]) -> str:
    audience = given.get("audience") or policy.Audience.SIGNED_IN
    if audience not in policy.audiences():
        raise Rejected(_("This server does not allow links for these people."))
    return str(audience)


def _days(given: Mapping[str, Any]) -> int:
    text = str(given.get("days") or "")
    days = int(text) if text.isdecimal() and len(text) < 6 else -1 if text else default().days
    if days not in policy.days():
        raise Rejected(_("This server does not allow links that are open so long."))
    return days

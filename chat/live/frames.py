"""Frames of a browser, parsed into values. See `docs/protocol.md`."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.utils.translation import gettext

from chat import offering
from chat.agent import skill_choices
from chat.attachments import uploads
from chat.commands.alternatives import Alternative, Continue, Edit, Regenerate
from chat.commands.comparisons import Compared
from chat.commands.new_message import NewMessage
from chat.errors import Rejected
from db.public_ids import parse_public_id
from languages.later import later

_NO_ANSWERER = later(
    "One of the models or assistants to compare no longer exists. Choose again and send again."
)


def new_message(frame: dict[str, Any], zone: str) -> NewMessage:
    """The message of a `send` frame. Raises `Rejected`."""
    alternative = _alternative(frame)
    has_own_text = alternative is None or isinstance(alternative, Edit)
    text, key = frame.get("text", None if has_own_text else ""), frame.get("key")
    if not isinstance(text, str) or not isinstance(key, str):
        raise Rejected(gettext("A message needs a text and a key."))
    return NewMessage(
        key=key,
        text=text,
        conversation_id=_conversation_id(frame.get("conversation")),
        model_id=parse_public_id(frame.get("model")),
        attachment_ids=_attachment_ids(frame.get("attachments")),
        tools=offering.read_choice(frame.get("tools")),
        skills=skill_choices.read_choice(frame.get("skills")),
        again=parse_public_id(frame.get("again")),
        alternative=alternative,
        preset_id=_preset_id(frame.get("preset")),
        zone=zone,
        temporary=frame.get("temporary") is True,
        is_note=frame.get("note") is True,
        compared=_compared(frame),
        project_id=_project_id(frame.get("project")),
    )


def _compared(frame: dict[str, Any]) -> list[Compared]:
    """Empty if the frame names none. Raises `Rejected`."""
    values = frame.get("compare")
    if values is None:
        return []
    if frame.get("again") is not None or _alternative(frame) is not None:
        raise Rejected(gettext("Answers are compared to a new message. Send it as one."))
    if not isinstance(values, list):
        raise Rejected(_NO_ANSWERER)
    return [_answerer(value) for value in values]


def _answerer(value: object) -> Compared:
    """From `{"model": ID}` or `{"preset": ID}`."""
    fields = value if isinstance(value, dict) else {}
    names = [name for name in ("model", "preset") if fields.get(name) is not None]
    public_id = parse_public_id(fields[names[0]]) if len(names) == 1 else None
    if public_id is None:
        raise Rejected(_NO_ANSWERER)
    return Compared(model_id=public_id) if names == ["model"] else Compared(preset_id=public_id)


def _alternative(frame: dict[str, Any]) -> Alternative | None:
    """The one of `edit`, `regenerate` and `continue` that the frame has. Raises `Rejected`."""
    kinds: dict[str, Callable[[UUID], Alternative]] = {
        "edit": Edit,
        "regenerate": Regenerate,
        "continue": Continue,
    }
    named = {name: frame[name] for name in kinds if frame.get(name) is not None}
    if not named:
        return None
    if len(named) > 1 or frame.get("again") is not None:
        raise Rejected(
            gettext("Only one of again, edit, regenerate and continue can be asked for.")
        )
    [(name, value)] = named.items()
    public_id = parse_public_id(value)
    if public_id is None:
        raise Rejected(gettext("This message does not exist. It may have been deleted."))
    return kinds[name](public_id)


def _conversation_id(value: object) -> UUID | None:
    public_id = parse_public_id(value)
    if value is not None and public_id is None:
        raise Rejected(gettext("This conversation does not exist. It may have been deleted."))
    return public_id


def _preset_id(value: object) -> UUID | None:
    public_id = parse_public_id(value) if value is not None else None
    if value is not None and public_id is None:
        raise Rejected(
            gettext("This assistant no longer exists. Choose another one and send again.")
        )
    return public_id


def _project_id(value: object) -> UUID | None:
    public_id = parse_public_id(value) if value is not None else None
    if value is not None and public_id is None:
        raise Rejected(gettext("This project no longer exists. Choose another one and send again."))
    return public_id


def _attachment_ids(values: object) -> list[UUID]:
    """Empty if the frame has none. Raises `Rejected` for a value that is no id."""
    if values is None:
        return []
    ids = [parse_public_id(value) for value in values] if isinstance(values, list) else [None]
    parsed = [one for one in ids if one is not None]
    if len(parsed) < len(ids):
        raise Rejected(uploads.GONE)
    return parsed

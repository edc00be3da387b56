"""Writing an imported conversation: all of it in one transaction, or nothing."""

import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from chat.attachments.references import SCHEME, reference_of
from chat.attachments.sniffing import sniff
from chat.attachments.uploads import clean_name
from chat.commands import organising, projects
from chat.commands.new_conversation import title_of
from chat.errors import Rejected
from chat.llm.messages import Message as CanonicalMessage
from chat.models import (
    Attachment,
    Compaction,
    Conversation,
    Feedback,
    Import,
    LanguageModel,
    Message,
    Origin,
    Preset,
    Turn,
)
from chat.transfer.plan import Plan, PlannedTurn
from db.fields import storable
from db.public_ids import parse_public_id
from limits.chat import MAX_TITLE
from limits.search import MAX_PINNED, MAX_TAGS
from tracing.models import Archive

# The file of an attachment, and its name, by its id in the imported file; None: it is not there.
Files = Callable[[str], "tuple[str, bytes] | None"]


@dataclass(frozen=True)
class Known:
    """What the names of an imported file mean here."""

    models: Mapping[tuple[str, str], int]
    assistants: Mapping[str, int]

    @classmethod
    def to(cls, user: User) -> "Known":
        offered = LanguageModel.objects.for_user(user).values_list("provider__name", "name", "pk")
        models = {(provider, name): pk for provider, name, pk in offered}
        # Other products do not say who provides a model.
        models |= {("", name): pk for (_, name), pk in models.items()}
        # Of two assistants of one name the user's own.
        presets = Preset.objects.for_user(user).values_list("name", "pk", "owner_id")
        own_last = sorted(presets, key=lambda row: row[2] == user.pk)
        return cls(models, {name: pk for name, pk, _ in own_last})

    def model(self, name: tuple[str, str] | None) -> int | None:
        return self.models.get(name) if name else None

    def assistant(self, name: str) -> int | None:
        return self.assistants.get(name) if name else None


def is_stored(user: User, plan: Plan) -> bool:
    """Whether this conversation is there already: imported before, or the exported one itself."""
    key = storable(plan.key)
    origins = Origin.objects.filter(owner=user, product=plan.product, key=key)
    if origins.exists():
        return True
    own = parse_public_id(plan.key) if plan.product == "roundtrip" else None
    if own is None:
        return False
    return Conversation.objects.filter(owner=user, public_id=own).exists()


def store(
    user: User, plan: Plan, known: Known, files: Files, imported_by: Import | None = None
) -> Conversation | None:
    """The new conversation; None if another import has stored it meanwhile."""
    try:
        with transaction.atomic():
            return _Writer(user, plan, known, files).write(imported_by)
    except IntegrityError:
        if is_stored(user, plan):
            return None
        raise


class _Writer:
    def __init__(self, user: User, plan: Plan, known: Known, files: Files) -> None:
        self._user, self._plan, self._known, self._files = user, plan, known, files
        self._turns: dict[str, int] = {}
        self._messages: dict[str, int] = {}
        # The new ids of attachments, by those of the file.
        self._attachments = {key: uuid.uuid4() for key in plan.attachments}

    def write(self, imported_by: Import | None) -> Conversation:
        conversation = self._conversation()
        self._tag(conversation)
        Origin.objects.create(
            conversation=conversation,
            owner=self._user,
            product=self._plan.product,
            key=storable(self._plan.key),
            imported_by=imported_by,
        )
        for turn in self._plan.turns:
            self._turns[turn.key] = self._turn(conversation, turn).pk
        self._write_messages(conversation)
        for turn in self._plan.turns:
            self._tie(turn)
        for one in self._plan.compactions:
            Compaction.objects.create(
                conversation=conversation,
                kind=one.kind,
                upto_id=self._messages[one.upto],
                summary=one.summary,
                created=one.created,
            )
        return conversation

    def _conversation(self) -> Conversation:
        plan = self._plan
        title = plan.title if len(plan.title) <= MAX_TITLE else title_of(plan.title)
        return Conversation.objects.insert(
            owner=self._user,
            archive=Archive.objects.insert(owner=self._user),
            title=" ".join(storable(title).split()),
            model_id=self._known.model(plan.model) or self._last_model(),
            preset_id=self._known.assistant(plan.assistant),
            project=projects.named(self._user, plan.project) if plan.project else None,
            is_branched=any(not one.columns["is_shown"] for one in plan.turns),
            **{**plan.columns, "pinned": self._pinned()},
        )

    def _pinned(self) -> datetime | None:
        """As in the file, as long as the user may pin one more."""
        pinned: datetime | None = self._plan.columns.get("pinned")
        if pinned is None:
            return None
        others = Conversation.objects.for_user(self._user).filter(pinned__isnull=False)
        return pinned if others.count() < MAX_PINNED else None

    def _tag(self, conversation: Conversation) -> None:
        """Gives it its tags, without those that the user may not have."""
        for name in self._plan.tags[:MAX_TAGS]:
            with suppress(Rejected):
                conversation.tags.add(organising.own_tag(self._user, name))

    def _last_model(self) -> int | None:
        names = [one.model for one in self._plan.turns if one.columns["is_shown"]]
        return self._known.model(names[-1]) if names else None

    def _turn(self, conversation: Conversation, turn: PlannedTurn) -> Turn:
        return Turn.objects.insert(
            conversation=conversation,
            user=self._user,
            client_key=f"import-{uuid.uuid4()}",
            parent_id=self._turns[turn.parent] if turn.parent else None,
            original_id=self._turns[turn.original] if turn.original else None,
            retry_of_id=self._turns[turn.retry_of] if turn.retry_of else None,
            model_id=self._known.model(turn.model),
            preset_id=self._known.assistant(turn.assistant),
            wakeups=1,
            seen=1,
            **turn.columns,
        )

    def _write_messages(self, conversation: Conversation) -> None:
        """In the order of the file, which is that of their keys. One that follows a later one gets
        its parent afterwards."""
        late: list[tuple[int, str]] = []
        attached: dict[str, list[str]] = {}
        for key, message in self._plan.attachments.items():
            attached.setdefault(message, []).append(key)
        for one in self._plan.messages:
            parent = self._messages.get(one.parent) if one.parent else None
            row = Message.objects.insert(
                conversation=conversation,
                parent_id=parent,
                turn_id=self._turns[one.turn] if one.turn else None,
                role=one.body["role"],
                body=self._with_own_references(one.body),
                created=one.created,
            )
            self._messages[one.key] = row.pk
            if one.parent and parent is None:
                late.append((row.pk, one.parent))
            for attachment in attached.get(one.key, ()):
                self._attach(attachment, row)
        for pk, parent_key in late:
            Message.objects.filter(pk=pk).update(parent=self._messages[parent_key])

    def _tie(self, turn: PlannedTurn) -> None:
        """Sets the messages of a turn, and its feedback."""
        pk = self._turns[turn.key]
        Turn.objects.filter(pk=pk).update(
            question=self._messages[turn.question] if turn.question else None,
            answer=self._messages[turn.answer] if turn.answer else None,
        )
        if turn.feedback is not None:
            Feedback.objects.create(turn_id=pk, **turn.feedback)

    def _with_own_references(self, body: CanonicalMessage) -> CanonicalMessage:
        """The body, referring to the new attachments: an id of the file may be somebody else's
        attachment here."""
        content = body.get("content")
        if not isinstance(content, list) or not self._attachments:
            return body
        return {**body, "content": [self._part(part) for part in content]}

    def _part(self, part: dict[str, Any]) -> dict[str, Any]:
        reference = reference_of(part)
        if reference is None:
            return part
        url = f"{SCHEME}{self._attachments[str(reference.id)]}"
        if isinstance(part.get("image_url"), dict):
            return {**part, "image_url": {**part["image_url"], "url": url}}
        return {**part, "file": {**part["file"], "file_id": url}}

    def _attach(self, key: str, message: Message) -> None:
        """Stores an attachment; one that is not in the file, or is no image and no text, stays a
        name in its message."""
        found = self._plan.contents.get(key) or self._files(key)
        if found is None:
            return
        name, content = found
        try:
            sniffed = sniff(content)
        except Rejected:
            return
        Attachment.objects.create(
            public_id=self._attachments[key],
            owner=self._user,
            message=message,
            name=clean_name(name, sniffed.media_type),
            media_type=sniffed.media_type,
            size=len(sniffed.content),
            content=sniffed.content,
        )

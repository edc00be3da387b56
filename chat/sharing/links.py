"""Making links, finding them by their addresses, revoking them; the document that one shows."""

import json
import logging
import secrets
from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from audit.models import Action
from audit.recording import record
from chat import storage
from chat.errors import LinkIsOver, Rejected
from chat.models import Conversation, SharedLink, SharedLinkQuerySet, Turn
from chat.models.sharing import digest_of
from chat.sharing import branches, files, policy, traces
from chat.sharing.choices import Choices
from chat.sharing.document import document
from chat.sharing.secret_texts import Masking, masking
from chat.sharing.shapes import SharedDocument
from limits.chat import MAX_TITLE
from limits.sharing import MAX_SHARED_LINKS, MAX_SHARED_TURNS, MAX_SNAPSHOT_BYTES
from tracing.formatting.figures import size

logger = logging.getLogger(__name__)
_TOKEN_BYTES = 24  # 192 random bits


def draft(user: User, conversation: Conversation, chosen: Choices) -> SharedLink:
    """A link that is not stored, as the preview shows it. Raises `Rejected`."""
    if not policy.is_on():
        raise Rejected(_("Links are switched off on this server."))
    if conversation.is_temporary:
        raise Rejected(_("A temporary conversation cannot be shared. Keep it first."))
    turn = _turn(conversation, chosen)
    link = chosen.draft()
    link.owner, link.conversation, link.turn = user, conversation, turn
    title = str(conversation) if chosen.title is None else chosen.title
    link.title = " ".join(title.split())[:MAX_TITLE] or _("A conversation")
    return link


def _turn(conversation: Conversation, chosen: Choices) -> Turn:
    turns = conversation.turns.filter(deleted=None)
    if chosen.turn is not None:
        turn = turns.filter(public_id=chosen.turn).first()
    else:
        turn = turns.filter(pk=branches.last_shown(conversation).pk or 0).first()
    if turn is None:
        raise Rejected(_("There is nothing to share yet: the conversation has no message."))
    return turn


def create(user: User, conversation: Conversation, chosen: Choices) -> SharedLink:
    """Stores a link; a snapshot with its document and files. Raises `Rejected`."""
    link = draft(user, conversation, chosen)
    if SharedLink.objects.for_user(user).alive().count() >= MAX_SHARED_LINKS:
        raise Rejected(
            _("You have %(most)s open links. Revoke some in the settings first.")
            % {"most": MAX_SHARED_LINKS}
        )
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    link.token, link.digest = token, digest_of(token)
    kept: list[files.Kept] = []
    if link.is_snapshot:
        masks = masking()
        shared = whole(link, masks)
        recorded = traces.taken(shared)
        link.pack(shared)
        link.size += len(recorded)
        if link.size > MAX_SNAPSHOT_BYTES:
            raise Rejected(_too_large(link))
        kept = [*files.kept(shared, link, masks), *traces.kept(recorded)]
        link.size += sum(len(one.content) for one in kept)
        storage.check(user.pk, link.size)
    with transaction.atomic():
        link.save()
        files.store(link, kept)
        record(
            Action.LINK_MADE,
            user,
            link,
            conversation=str(conversation.public_id),
            audience=link.audience,
            traces=link.with_traces,
        )
    logger.info(
        "Shared link %s of conversation %s made by user %s, for %s, until %s.",
        *(link.public_id, conversation.public_id, user.pk, link.audience, link.ends or "revoked"),
    )
    return link


def _too_large(link: SharedLink) -> str:
    sizes = {"size": size(link.size), "most": size(MAX_SNAPSHOT_BYTES)}
    return (
        _(
            "A snapshot of this has %(size)s; the limit is %(most)s. Share it without traces, or "
            "as a live link."
        )
        % sizes
    )


def revoke(links: SharedLinkQuerySet, by: User) -> int:
    """Revokes links; how many were open."""
    names = [str(one) for one in links.filter(revoked=None).values_list("public_id", flat=True)]
    count = links.revoke()
    if names:
        record(Action.LINK_REVOKED, by, links=names[:MAX_SHARED_LINKS], count=count)
        logger.info("Shared links %s revoked by user %s.", ", ".join(names), by.pk)
    return count


def sweep() -> None:
    """Erases what snapshots kept that have ended."""
    over = list(SharedLink.objects.ended().exclude(token="").values_list("pk", flat=True))
    SharedLink.objects.filter(pk__in=over).erase()


def find(token: str) -> SharedLink | None:
    """The open link with this address. One query, whatever the token is."""
    rows = SharedLink.objects.select_related("owner", "conversation").defer("packed")
    link = rows.filter(digest=digest_of(token)).first()
    if link is None or link.is_over or not policy.is_on() or not link.owner.is_active:
        return None
    return link


def whole(link: SharedLink, masks: Masking) -> SharedDocument:
    """The document of all turns, with traces if they are shared."""
    keys = branches.of_link(link)
    shared = document(link, masks, keys)
    if link.with_traces:
        traces.add_traces(shared, link, keys, masks)
    return shared


def all_turns(link: SharedLink, masks: Masking) -> SharedDocument:
    """The document of all turns, without traces."""
    return snapshot(link) if is_kept(link) else document(link, masks, branches.of_link(link))


def one_turn(link: SharedLink, turn: int | None, masks: Masking) -> SharedDocument:
    """The document of the turn with this primary key alone, without traces; `turns` is empty if the
    link does not show it. For a file: the whole document costs as much as the branch is long."""
    return document(link, masks, [pk for pk in branches.of_link(link) if pk == turn])


def page(link: SharedLink, number: int, masks: Masking | None = None) -> SharedDocument:
    """The document with the turns of a page, from 1, without traces; `turns` is empty for a page
    that there is not."""
    start = (number - 1) * MAX_SHARED_TURNS
    place = slice(start, start + MAX_SHARED_TURNS)
    if is_kept(link):
        shared = snapshot(link)
        return {**shared, "turns": shared["turns"][place], "first": start + 1}
    return document(link, masks or masking(), branches.of_link(link), place)


def with_trace(
    link: SharedLink, number: int, masks: Masking | None = None
) -> tuple[SharedDocument, int] | None:
    """The document, and the place in it of the turn with this number, from 1, whose trace it has;
    None if it has none."""
    if not link.with_traces or number < 1:
        return None
    masks = masks or masking()
    if is_kept(link):
        shared = snapshot(link)
        return (shared, number - 1) if traces.put_back(shared, link, number - 1) else None
    keys = branches.of_link(link)[:number]
    if len(keys) < number:
        return None
    shared = document(link, masks, keys)
    traces.add_traces(shared, link, keys, masks, only=number - 1)
    return shared, number - 1


def is_kept(link: SharedLink) -> bool:
    """Whether it shows the document that it keeps: a snapshot that is stored."""
    return link.is_snapshot and link.pk is not None


def snapshot(link: SharedLink) -> SharedDocument:
    """Raises `LinkIsOver` if it was erased since it was found."""
    text = link.unpack()
    if not text:
        raise LinkIsOver
    shared: SharedDocument = json.loads(text)
    return shared


def pages(shared: SharedDocument) -> Sequence[int]:
    """The numbers of the pages."""
    return range(1, max(1, -(-shared["count"] // MAX_SHARED_TURNS)) + 1)

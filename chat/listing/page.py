"""The conversations of the page: those that fit its filters, or what a search finds of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from functools import partial
from uuid import UUID

from django.db.models import Count, Q, Value

from chat.listing.filters import Filters
from chat.models import Conversation, ConversationQuerySet, Preset, Project, Tag
from chat.search.indexing import count_unindexed
from chat.search.results import Result, Results, search, shared_keys
from db.users import AnyUser
from limits.chat import MAX_ROWS_A_PAGE
from limits.search import MAX_COUNTED_UNINDEXED
from tracing.formatting.text import visible
from tracing.search.query import Term, parse
from tracing.search.snippets import SnippetPart


@dataclass(frozen=True)
class Narrower:
    """A search that finds something where the one before found nothing: the same without `word`,
    and the query of its address."""

    word: str
    address: str


@dataclass(frozen=True)
class ListPage:
    """`more`: the query of the address of the next page. `beginning`: the text that words begin
    with which were found instead of the word. `unindexed`: texts that the index lacks yet."""

    filters: Filters
    rows: Sequence[Result]
    more: str = ""
    beginning: str = ""
    is_cut: bool = False
    narrower: Sequence[Narrower] = ()
    has_words: bool = True
    has_any: bool = True
    unindexed: int = 0

    @property
    def has_many_unindexed(self) -> bool:
        return self.unindexed > MAX_COUNTED_UNINDEXED


@dataclass(frozen=True)
class Named:
    """An assistant or a project."""

    public_id: UUID
    name: str


@dataclass(frozen=True)
class Choices:
    """What the filters can be set to."""

    presets: Sequence[Named] = ()
    projects: Sequence[Named] = ()
    tags: Sequence[Tag] = field(default_factory=list)


def list_page(
    user: AnyUser, filters: Filters, zone: tzinfo, page: int = 0, before: UUID | None = None
) -> ListPage:
    """Page `page` of a search; without a query the conversations before one of them."""
    conversations = filters.conversations(user, zone)
    if filters.query:
        return _found(user, filters, conversations, page)
    last = conversations.filter(public_id=before).first() if before else None
    rows = list(
        conversations.older_than(last)
        .order_by("-updated", "-id")
        .select_related("preset", "owner", "project")
        .defer("project__instructions")
        .prefetch_related("tags")[: MAX_ROWS_A_PAGE + 1]
    )
    shown = rows[:MAX_ROWS_A_PAGE]
    more = f"{filters.address()}&before={shown[-1].public_id}" if len(rows) > len(shown) else ""
    results = [Result(row, [SnippetPart(visible(str(row)))]) for row in shown]
    has_any = bool(rows) or Conversation.objects.listed_for(user).exists()
    return ListPage(filters, results, more, has_any=has_any)


def choices(user: AnyUser) -> Choices:
    """The assistants of the user's conversations, the projects, and the tags, most used first."""
    used = Conversation.objects.listed_for(user).exclude(preset=None).values("preset")
    columns = ("public_id", "name")
    presets = Preset.objects.filter(pk__in=used).order_by().values_list(*columns, Value(0))
    projects = Project.objects.for_user(user).order_by().values_list(*columns, Value(1))
    # In one query.
    rows = sorted(presets.union(projects, all=True), key=lambda row: (row[1], row[0]))
    assistants, own = ([Named(*row[:2]) for row in rows if row[2] == kind] for kind in (0, 1))
    return Choices(assistants, own, suggested_tags(user))


def suggested_tags(
    user: AnyUser, conversations: ConversationQuerySet | None = None
) -> Sequence[Tag]:
    """The user's tags, most used first, `count`ed; `is_on` how many of these conversations have
    each."""
    tags = Tag.objects.for_user(user).annotate(count=Count("conversations", distinct=True))
    if conversations is not None:
        ids = list(conversations.values_list("pk", flat=True))
        on = Count("conversations", filter=Q(conversations__in=ids), distinct=True)
        tags = tags.annotate(is_on=on)
    return list(tags.order_by("-count", "name"))


def _found(
    user: AnyUser, filters: Filters, conversations: ConversationQuerySet, page: int
) -> ListPage:
    look = partial(
        search,
        owner=user.pk or 0,
        conversations=conversations,
        filtered=filters.is_filtered,
        shared=shared_keys(user),
    )
    results = look(filters.query, page=page)
    has_words = bool(results.terms)
    return ListPage(
        filters,
        results.rows,
        f"{filters.address()}&page={page + 1}" if results.has_more else "",
        results.terms[-1].texts[0] if results.is_beginning else "",
        results.is_cut,
        [] if results.rows or page else _narrower(look, filters),
        has_words,
        unindexed=count_unindexed() if not page else 0,
    )


def _narrower(look: Callable[[str], Results], filters: Filters) -> list[Narrower]:
    """Of a search that finds nothing: those without one of its words that find something."""
    terms = parse(filters.query)
    narrower = []
    for place, term in enumerate(terms[:4] if len(terms) > 1 else ()):
        query = " ".join(_text(one) for n, one in enumerate(terms) if n != place)
        found = look(query)
        if found.rows and not found.is_beginning:
            narrower.append(Narrower(_text(term), filters.address(query=query)))
    return narrower


def _text(term: Term) -> str:
    """The term as somebody types it."""
    words = ("" if term.is_run else " ").join(term.texts)
    if len(term.tokens) > 1 and not term.is_run:
        return f'"{words}"'
    return f"{words}*" if term.is_prefix else words

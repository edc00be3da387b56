"""Conversations that match a query: those whose title matches, then those with a message that does,
the latest first.

A frequent word may be in most messages, so messages are looked through from the latest on, only
until there are enough conversations for the page. The next page looks through the same ones again,
which costs less than a place to go on from, and needs none that could be outdated.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from chat.models import Conversation, ConversationQuerySet
from chat.search import texts
from chat.search.hits import Hit, hits, marked
from chat.search.matching import Scope, matching_messages, matching_titles
from chat.search.places import message_url
from db.users import AnyUser
from limits.search import (
    MAX_HITS,
    MAX_RESULT_PAGES,
    MAX_RESULTS_A_PAGE,
    MAX_SCOPED_CONVERSATIONS,
    MAX_TITLE_HITS,
    MAX_WALKED_HITS,
)
from tracing.search.query import Term, parse
from tracing.search.snippets import SnippetPart

# Messages of the first step, and of those that follow.
_FIRST_STEP = 200
_STEP = 1_000


@dataclass(frozen=True)
class ShownHit:
    """A message and its address."""

    hit: Hit
    url: str


@dataclass(frozen=True)
class Result:
    """A conversation with the latest messages that match; without one only its title does.
    `title`: with the matches marked."""

    conversation: Conversation
    title: Sequence[SnippetPart]
    hits: Sequence[ShownHit] = ()

    @property
    def url(self) -> str:
        return self.hits[0].url if self.hits else self.conversation.get_absolute_url()


@dataclass(frozen=True)
class Results:
    """A page of results, counted from 0. `terms` are those that were searched: with `is_beginning`
    the last one is the beginning of a word, because nothing has it as a word. With `is_cut` only
    the latest `MAX_WALKED_HITS` messages with the words were looked through."""

    terms: Sequence[Term]
    rows: Sequence[Result] = ()
    page: int = 0
    has_more: bool = False
    is_beginning: bool = False
    is_cut: bool = False


@dataclass
class _Found:
    """Keys of matching messages by conversation, in the order of the results."""

    order: dict[int, list[int]] = field(default_factory=dict)
    is_cut: bool = False


def search(
    query: str,
    owner: int,
    conversations: ConversationQuerySet,
    page: int = 0,
    *,
    filtered: bool,
    shared: Sequence[int] = (),
) -> Results:
    """A page of the results among these conversations, which are the owner's and those `shared`
    with them (primary keys); `filtered`: not all of them."""
    terms = parse(query)
    if not terms:
        return Results(terms)
    page = min(page, MAX_RESULT_PAGES - 1)
    scope = _scope(Scope(owner, shared=shared), conversations, filtered)
    results = _page(terms, query, scope, conversations, page)
    beginning = beginning_of(terms)
    if not results.rows and not page and beginning is not None:
        results = _page(beginning, query, scope, conversations, page)
        results = replace(results, is_beginning=bool(results.rows))
    return results


def beginning_of(terms: Sequence[Term]) -> list[Term] | None:
    """The terms, the last one as the beginning of a word; None if it can be none."""
    last = terms[-1]
    if last.is_prefix or len(last.tokens) != 1 or last.tokens[0].run or len(last.texts[0]) < 2:
        return None
    return [*terms[:-1], replace(last, is_prefix=True)]


def shared_keys(user: AnyUser) -> list[int]:
    """The latest conversations that others share with a person."""
    latest = Conversation.objects.shared_with(user).order_by("-updated", "-id")
    return list(latest.values_list("pk", flat=True)[:MAX_SCOPED_CONVERSATIONS])


def _scope(scope: Scope, conversations: ConversationQuerySet, filtered: bool) -> Scope:
    """The conversations themselves, if filters leave few of them."""
    if not filtered:
        return scope
    ids = list(conversations.values_list("pk", flat=True)[: MAX_SCOPED_CONVERSATIONS + 1])
    return replace(scope, conversations=ids) if len(ids) <= MAX_SCOPED_CONVERSATIONS else scope


def _page(
    terms: Sequence[Term], query: str, scope: Scope, conversations: ConversationQuerySet, page: int
) -> Results:
    first = page * MAX_RESULTS_A_PAGE
    found = _find(terms, scope, conversations, first + MAX_RESULTS_A_PAGE + 1)
    ids = list(found.order)[first : first + MAX_RESULTS_A_PAGE]
    has_more = len(found.order) > first + MAX_RESULTS_A_PAGE and page + 1 < MAX_RESULT_PAGES
    keys = {pk: found.order[pk] for pk in ids}
    _add_messages(keys, terms, scope.owner)
    rows = _results(keys, terms, query)
    return Results(terms, rows, page, has_more, is_cut=found.is_cut and not has_more)


def _find(
    terms: Sequence[Term], scope: Scope, conversations: ConversationQuerySet, count: int
) -> _Found:
    """At least `count` conversations, if there are so many."""
    found = _Found()
    titles = matching_titles(terms, scope, MAX_TITLE_HITS)
    by_title = conversations.filter(pk__in=titles).order_by("-updated", "-id")
    for pk in by_title.values_list("pk", flat=True) if titles else ():
        found.order[pk] = []
    if len(found.order) >= count:
        return found
    left_out: set[int] = set()
    for step in _steps(terms, scope, found):
        unknown = {pk for pk, _ in step} - found.order.keys() - left_out
        fitting = set(conversations.filter(pk__in=unknown).values_list("pk", flat=True))
        left_out |= unknown - fitting
        for pk, key in step:
            if pk not in left_out and len(keys := found.order.setdefault(pk, [])) < MAX_HITS:
                keys.append(key)
        if len(found.order) >= count:
            break
    return found


def _steps(terms: Sequence[Term], scope: Scope, found: _Found) -> Iterator[list[tuple[int, int]]]:
    """Conversations and keys of the messages that match, the latest first."""
    below, walked, step = None, 0, _FIRST_STEP
    while walked < MAX_WALKED_HITS:
        keys = matching_messages(terms, scope, step, below)
        conversations = dict(texts.messages(keys).values_list("pk", "conversation_id"))
        yield [(conversations[key], key) for key in keys if key in conversations]
        if len(keys) < step:
            return
        below, walked, step = keys[-1], walked + len(keys), _STEP
    found.is_cut = True


def _add_messages(keys: dict[int, list[int]], terms: Sequence[Term], owner: int) -> None:
    """The messages of conversations of which so far only the title is known to match."""
    bare = [pk for pk, known in keys.items() if not known]
    found = matching_messages(terms, Scope(owner, bare), _FIRST_STEP)
    rows = dict(texts.messages(found).values_list("pk", "conversation_id"))
    for key in found:
        if key in rows and len(known := keys[rows[key]]) < MAX_HITS:
            known.append(key)


def _results(keys: dict[int, list[int]], terms: Sequence[Term], query: str) -> list[Result]:
    related = ("preset", "model", "owner", "project")
    rows = Conversation.objects.filter(pk__in=keys).select_related(*related)
    rows = rows.defer("project__instructions")
    conversations = {row.pk: row for row in rows.prefetch_related("tags")}
    known = hits([key for of_one in keys.values() for key in of_one], terms)
    return [
        Result(
            conversations[pk],
            marked(str(conversations[pk]), terms),
            [
                ShownHit(hit, message_url(conversations[pk], query, hit.turn, hit.message))
                for hit in map(known.get, of_one)
                if hit is not None
            ],
        )
        for pk, of_one in keys.items()
        if pk in conversations
    ]

"""The tree of turns: huge and deep ones, and those that were stored before there were branches."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from chat.commands import branches
from chat.models import Turn
from chat.tests.builders import AConversation, a_model, a_user
from chat.trace_views.branch import branch_of
from limits.chat import MAX_LINKED_BRANCHES

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.long]


@pytest.fixture
def conversation() -> AConversation:
    return AConversation(a_user(), model=a_model(), is_branched=True)


def chain_of(conversation: AConversation, count: int) -> list[Turn]:
    """Turns without messages, each below the one before."""
    first = (Turn.objects.order_by("-pk").values_list("pk", flat=True).first() or 0) + 1
    turns = [
        Turn(
            pk=first + number,
            conversation=conversation.row,
            user=conversation.row.owner,
            client_key=f"chain-{number}",
            status="done",
            wakeups=1,
            is_shown=False,
            parent_id=first + number - 1 if number else None,
        )
        for number in range(count)
    ]
    return Turn.objects.bulk_create(turns, batch_size=500)


def test_a_thousand_versions_cost_the_page_no_more_queries_than_two(
    conversation: AConversation, client: Client
) -> None:
    conversation.turn("Hello?", "Hi.", parent=None)
    client.force_login(conversation.row.owner)
    counts: list[int] = []
    for more in (1, 1, 998):  # the first visit stores what later ones find
        rows = [
            Turn(
                conversation=conversation.row,
                user=conversation.row.owner,
                client_key=f"{more}-{number}-{len(counts)}",
                status="done",
                is_shown=False,
            )
            for number in range(more)
        ]
        Turn.objects.bulk_create(rows, batch_size=500)
        with CaptureQueriesContext(connection) as queries:
            html = client.get(conversation.url).content.decode()
        counts.append(len(queries))
    assert counts[1] == counts[2]
    assert "1/1,001" in html
    assert len(html) < 200_000


def test_a_trace_links_to_some_of_a_thousand_branches(conversation: AConversation) -> None:
    turns = [conversation.turn(f"{number}", parent=None).row for number in range(60)]
    branch = branch_of(turns[30])
    assert branch is not None
    assert (branch.number, branch.count, branch.place) == (31, 60, 1)
    assert len(branch.branches) == MAX_LINKED_BRANCHES
    assert any(one.is_own for one in branch.branches)
    assert branch.more == 40


def test_one_goes_to_another_branch_of_ten_thousand_turns_in_few_queries(
    conversation: AConversation,
) -> None:
    other = conversation.turn("Other", parent=None).row
    chain = chain_of(conversation, 10_000)
    with CaptureQueriesContext(connection) as queries:
        branches.switch(conversation.row, chain[0].public_id)
    assert len(queries) < 20
    assert Turn.objects.filter(conversation=conversation.row, is_shown=True).count() == 10_000
    with CaptureQueriesContext(connection) as queries:
        branches.switch(conversation.row, other.public_id)
    assert len(queries) < 20
    assert Turn.objects.get(conversation=conversation.row, is_shown=True) == other


def test_a_turn_is_never_its_own_ancestor(conversation: AConversation) -> None:
    first, second = conversation.turn("one").row, conversation.turn("two").row
    assert second.parent == first
    for parent in (first, second):
        with pytest.raises(IntegrityError), transaction.atomic():
            Turn.objects.filter(pk=first.pk).update(parent=parent)

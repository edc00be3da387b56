"""Every frame of the socket, from everybody, about what is theirs, another's, and nobody's."""

import json
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection

from chat.live.consumer import ChatConsumer
from chat.models import Conversation, Message, Question, Turn
from chat.tests.live.conftest import server
from chat.tests.live.tabs import Tab, connect_to
from tests.access import rows
from tests.access.frames import FRAMES, FrameRule
from tests.access.rows import CANARY, ROLES, Rows
from tests.redis_server import RedisServer
from tests.signing_in import session_cookie
from tracing.models import Span

pytestmark = pytest.mark.process

__all__ = ["server"]  # a fixture

# What a frame could change.
MODELS = (Conversation, Message, Question, Span, Turn)


@pytest.fixture
def cast(transactional_db: None, redis_server: RedisServer) -> Rows:
    found = rows.make()
    found.people["holder"].user_permissions.set(Permission.objects.all())
    return found


def signed_in(cast: Rows) -> dict[str, User]:
    """Whoever may open a socket: who was deactivated may not."""
    return {role: user for role, user in cast.people.items() if role != "inactive"}


@contextmanager
def tabs(server: str, cast: Rows) -> Iterator[dict[str, Tab]]:
    with ExitStack() as stack:
        opened = {}
        for role, user in signed_in(cast).items():
            opened[role] = Tab(stack.enter_context(connect_to(server, session_cookie(user), {})))
            assert opened[role].next()["type"] == "hello"
        yield opened


def answers(tab: Tab, kind: str, rule: FrameRule, row: Any, wanted: frozenset[str]) -> str:
    """Sends a frame; what came back, as text without the row's id. A pong is waited for, so that
    nothing else is still to come."""
    tab.tell(type=kind, **rule.frame(None if row is None else str(row)))
    frames = [tab.next(lambda frame: frame["type"] in wanted)] if wanted else []
    tab.tell(type="ping")
    while (frame := tab.next())["type"] != "pong":
        frames.append(frame)
    return json.dumps(frames).replace(str(row), "")


def contents() -> list[list[Any]]:
    return [list(model._default_manager.order_by("pk").values_list()) for model in MODELS]


def test_every_frame_has_a_rule() -> None:
    assert set(FRAMES) == set(ChatConsumer.handlers)


def test_a_frame_about_what_is_anothers_is_one_about_nothing(server: str, cast: Rows) -> None:
    before, count = contents(), 0
    with tabs(server, cast) as opened:
        for kind, rule in FRAMES.items():
            row = rule.of(cast) if rule.of else None
            for role in [role for role in ROLES if role in opened]:
                told = answers(opened[role], kind, rule, uuid.uuid4(), rule.refused)
                count += 1
                assert CANARY not in told
                if role in rule.who or row is None:
                    continue
                refused = answers(opened[role], kind, rule, row, rule.refused)
                assert refused == told or role in rule.knows, (kind, role)
                count += 1
        assert contents() == before
    about_rows = [rule for rule in FRAMES.values() if rule.of]
    people = len(signed_in(cast))
    assert count == len(FRAMES) * people + sum(people - len(rule.who) for rule in about_rows)


@pytest.mark.parametrize("kind", sorted(FRAMES))
def test_a_frame_about_what_is_theirs_is_obeyed(server: str, cast: Rows, kind: str) -> None:
    rule = FRAMES[kind]
    with tabs(server, cast) as opened:
        row = rule.of(cast) if rule.of else None
        told = [answers(opened[who], kind, rule, row, rule.answers) for who in sorted(rule.who)]
    assert CANARY not in "".join(told)
    assert all(f'"{wanted}"' in one for wanted in rule.answers for one in told)
    connection.close()

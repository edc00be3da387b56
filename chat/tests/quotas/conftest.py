"""Limits, and people who reach them."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.models import LanguageModel, QuotaRule, Turn
from chat.quotas import rules
from chat.tests.builders import a_model, a_user

Limit = Callable[..., QuotaRule]
Send = Callable[..., Turn]


@pytest.fixture
def model(db: None) -> LanguageModel:
    return a_model(is_default=True)


@pytest.fixture
def user(model: LanguageModel) -> User:
    return a_user("ann")


@pytest.fixture
def limit(db: None) -> Limit:
    """Makes a rule of everybody, or of a `group` or `user`."""

    def made(kind: str, amount: int | None, **whom: Any) -> QuotaRule:
        scope = "person" if "user" in whom else "group" if "group" in whom else "everybody"
        rule = QuotaRule.objects.create(scope=scope, kind=kind, amount=amount, **whom)
        rules.forget()
        return rule

    return made


@pytest.fixture
def send(model: LanguageModel) -> Send:
    def sent(user: User, key: str = "") -> Turn:
        return send_message(user, NewMessage(key or str(uuid.uuid4()), "hello"))

    return sent

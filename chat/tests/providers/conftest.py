"""The cast of the providers' pages: an admin, an outsider, and a stub of a model server."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from celery import Celery
from django.contrib.auth.models import User
from django.test import Client

from benchmarks.stub import Stub, running_stub
from chat.models import LanguageModel, Provider
from tests.brokers import ringing
from tests.signing_in import signed_in

CANARY = "sk-canary-0123456789"


@pytest.fixture(scope="session")
def stub() -> Iterator[Stub]:
    with running_stub() as running:
        yield running


@pytest.fixture
def broker() -> Iterator[Celery]:
    """A broker in memory, that takes every ring and delivers none."""
    with ringing() as app:
        yield app


@pytest.fixture
def staff(db: None) -> User:
    return User.objects.create_user("admin", is_staff=True, is_superuser=True)


@pytest.fixture
def admin(staff: User) -> Client:
    return signed_in(staff)


@pytest.fixture
def outsider(db: None) -> Client:
    return signed_in(User.objects.create_user("outsider"))


@pytest.fixture
def provider(stub: Stub, db: None) -> Provider:
    return Provider.objects.create(name="Stub", base_url=stub.base_url, api_key=CANARY)


@pytest.fixture
def make(provider: Provider) -> Callable[..., LanguageModel]:
    """Makes a model of the stub's by its name."""

    def make_model(name: str = "stub-n5", **fields: Any) -> LanguageModel:
        return LanguageModel.objects.create(provider=provider, name=name, **fields)

    return make_model

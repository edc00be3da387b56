from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.cache import cache
from pytest_django.fixtures import Settings

from config import oidc_settings
from config.accounts.tests.oidc.providers import Liar, liar, mock_process
from config.oidc_settings import OIDC

Configure = Callable[..., OIDC]


@pytest.fixture(scope="session")
def issuer() -> Iterator[str]:
    with mock_process() as address:
        yield address


@pytest.fixture
def configure(settings: Settings) -> Configure:
    """Sets the provider that there is."""
    cache.clear()

    def configured(issuer: str, **given: Any) -> OIDC:
        oidc = OIDC(issuer, "roundtrip", "a client's secret", **given)
        settings.OIDC = oidc
        settings.SOCIALACCOUNT_PROVIDERS = oidc_settings.allauth_providers(oidc)
        return oidc

    return configured


@pytest.fixture
def provider(configure: Configure) -> Iterator[Liar]:
    with liar() as told:
        configure(told.issuer, signup="everybody")
        yield told

"""Prices that nobody has set are those of the list of `genai-prices`; an admin's stay."""

from decimal import Decimal

import pytest
from django.test import Client
from genai_prices import Usage, calc_price

from chat.models import LanguageModel, Provider
from chat.providers import known_prices

pytestmark = [pytest.mark.django_db, pytest.mark.long]
OPENAI = "https://api.openai.com/v1"


@pytest.fixture
def provider() -> Provider:
    return Provider.objects.create(name="OpenAI", base_url=OPENAI, service="openai")


def a_model(provider: Provider, name: str = "gpt-4o", **fields: object) -> LanguageModel:
    return LanguageModel.objects.create(provider=provider, name=name, **fields)


def test_the_prices_are_those_of_the_list(provider: Provider) -> None:
    model = a_model(provider)
    assert known_prices.fill() == 1
    model.refresh_from_db()
    million = Usage(input_tokens=10**6, output_tokens=0)
    assert model.price_in == calc_price(million, "gpt-4o", provider_id="openai").total_price
    assert model.price_out is not None and model.price_out > model.price_in
    assert model.price_source == "library"
    assert known_prices.fill() == 0


@pytest.mark.parametrize(
    ("url", "name"),
    [
        (OPENAI, "no-such-model"),
        ("http://127.0.0.1:11434/v1", "gpt-4o"),
        ("https://models.example/v1", "gpt-4o"),
    ],
)
def test_what_the_list_does_not_have_has_no_price(url: str, name: str) -> None:
    model = a_model(Provider.objects.create(name="Own", base_url=url), name)
    assert known_prices.fill() == 0
    model.refresh_from_db()
    assert not model.has_prices


def test_a_price_of_an_admin_is_not_touched(provider: Provider) -> None:
    model = a_model(provider, price_in=Decimal(0), price_out=Decimal(7))
    assert known_prices.fill() == 0
    model.refresh_from_db()
    assert (str(model.price_in), str(model.price_out)) == ("0.000000", "7.000000")


def test_prices_of_the_list_are_renewed(provider: Provider) -> None:
    model = a_model(provider, price_in=Decimal(99), price_out=Decimal(99), price_source="library")
    assert known_prices.fill() == 1
    model.refresh_from_db()
    assert model.price_in != 99


def test_a_list_that_cannot_be_read_changes_nothing(
    provider: Provider, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    a_model(provider)
    monkeypatch.setattr(known_prices, "PROCESS", tmp_path)
    assert known_prices.fill() == 0


def test_the_form_says_where_prices_come_from_and_an_admin_overrides_them(
    admin_client: Client, provider: Provider
) -> None:
    model = a_model(provider)
    known_prices.fill()
    page = f"{model.get_absolute_url()}edit"
    assert "from the price list of genai-prices" in admin_client.get(page).content.decode()
    form = {"name": "gpt-4o", "dialect": "native", "returns_reasoning": "never", "enabled": "on"}
    answer = admin_client.post(page, {**form, "price_in": "4", "price_out": "5"})
    assert answer.status_code == 302
    model.refresh_from_db()
    assert (model.price_in, model.price_cached) == (Decimal(4), None)
    assert model.price_source == ""
    admin_client.post(page, {**form, "price_in": "", "price_out": ""})
    model.refresh_from_db()
    assert model.price_source == "library" and model.price_in != 4

"""What a start finds and makes: the local model among what there was."""

from typing import Any

import pytest
from django.conf import LazySettings

from chat import setup
from chat.models import LanguageModel, Provider
from chat.tests.builders import a_model

pytestmark = pytest.mark.django_db

TOLD = {
    "base_url": "http://127.0.0.1:1/v1",
    "name": "SmolLM2",
    "context": 4096,
    "bundled": True,
    "api_key": "k",
}


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def start(settings: LazySettings, **told: Any) -> LanguageModel | None:
    """A start with this local model, or with none; answers the row of the default."""
    settings.LOCAL_MODEL = {**TOLD, **told} if told else {}
    setup.prepare()
    return LanguageModel.objects.offered().filter(is_default=True).first()


def local() -> LanguageModel:
    return LanguageModel.objects.select_related("provider", "preset").get(
        provider__name="Local model"
    )


def test_the_bundled_model_says_what_it_is_and_is_offered_no_tools(settings: LazySettings) -> None:
    start(settings, bundled=True)
    assert "too small for tools" in str(local())
    assert not local().takes_tools
    assert local().preset is not None
    assert local().context_window == 4096


def test_a_file_of_ones_own_is_called_by_its_name_and_takes_tools(settings: LazySettings) -> None:
    start(settings, name="通义 千问", bundled=False)
    assert (str(local()), local().takes_tools, local().preset) == ("通义 千问", True, None)


def test_another_file_changes_the_row_and_the_same_one_leaves_it(settings: LazySettings) -> None:
    start(settings, name="one", bundled=True)
    LanguageModel.objects.filter(name="one").update(label="Mine", parameters={"seed": 1})
    before = local().pk
    start(settings, name="one", bundled=True)
    assert (local().label, local().parameters) == ("Mine", {"seed": 1})
    start(settings, name="two", bundled=False)
    assert (local().pk, str(local()), local().parameters) == (before, "two", {})


def test_its_address_and_key_are_followed_at_each_start(settings: LazySettings) -> None:
    start(settings, bundled=True)
    start(settings, base_url="http://127.0.0.1:2/v1", api_key="other")
    assert local().provider.base_url.endswith(":2/v1")
    assert local().provider.api_key == "other"


def test_without_one_it_stays_and_is_not_offered(settings: LazySettings) -> None:
    start(settings, bundled=True)
    default = start(settings)
    assert not local().provider.enabled
    assert default is not None
    assert default.provider.name == "Walkthrough"


def test_it_goes_before_the_walkthrough(settings: LazySettings) -> None:
    start(settings)
    assert start(settings, bundled=True) == local()


def test_it_never_goes_before_what_an_admin_chose(settings: LazySettings) -> None:
    start(settings)
    chosen = a_model("chosen")
    LanguageModel.objects.filter(is_default=True).update(is_default=False)
    LanguageModel.objects.filter(pk=chosen.pk).update(is_default=True)
    assert start(settings, bundled=True) == chosen


def test_it_never_goes_before_the_environments(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(settings, bundled=True)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:3/v1")
    default = start(settings, bundled=True)
    assert default is not None
    assert default.provider.name == "Environment"
    assert Provider.objects.get(name="Local model").enabled


def test_an_environment_without_a_model_leaves_what_an_admin_chose(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_MODEL", raising=False)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:3/v1")
    start(settings)
    chosen = a_model("chosen")
    LanguageModel.objects.filter(is_default=True).update(is_default=False)
    LanguageModel.objects.filter(pk=chosen.pk).update(is_default=True)
    assert start(settings) == chosen
    monkeypatch.setenv("OPENAI_MODEL", "named")
    assert str(start(settings)) == "named"

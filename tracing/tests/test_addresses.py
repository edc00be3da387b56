"""`{% url %}` and cached addresses."""

import uuid

import pytest
from django.http import HttpResponse
from django.template import Context, Template
from django.test import override_settings
from django.urls import NoReverseMatch, path, reverse, set_script_prefix

from db.addresses import address

urlpatterns = [path("other/", lambda request: HttpResponse(), name="account_login")]


def test_an_address_is_that_of_django() -> None:
    trace = uuid.uuid4()

    assert address("tracing:trace", trace) == reverse("tracing:trace", args=[trace])


def test_an_address_follows_the_urlconf_and_the_prefix() -> None:
    before = address("account_login")
    with override_settings(ROOT_URLCONF=__name__):
        assert address("account_login") == "/other/"
    set_script_prefix("/below/")
    try:
        assert address("account_login") == f"/below{before}"
    finally:
        set_script_prefix("/")


def test_the_tag_writes_or_sets_an_address() -> None:
    template = Template("{% url 'tracing:list' %} {% url 'tracing:list' as list %}{{ list }}")

    assert template.render(Context()) == " ".join([reverse("tracing:list")] * 2)


def test_an_unknown_address_is_an_error_unless_it_is_set() -> None:
    assert Template("{% url 'nowhere' as it %}[{{ it }}]").render(Context()) == "[]"
    with pytest.raises(NoReverseMatch):
        Template("{% url 'nowhere' %}").render(Context())

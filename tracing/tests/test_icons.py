"""`{% icon %}`."""

import pytest
from django.template import Context, Template, TemplateSyntaxError
from django.template.base import TextNode


def test_an_icon_refers_to_its_symbol_in_the_sprite() -> None:
    html = Template('{% icon "alert" %}').render(Context())

    assert html.startswith('<svg class="icon icon-alert" width="16" height="16" aria-hidden="true"')
    assert "icons.svg#alert" in html


def test_an_icon_may_be_named_by_the_context() -> None:
    template = Template("{% load trace_format %}{% icon status|state_icon %}")

    assert "icons.svg#done" in template.render(Context({"status": "succeeded"}))


def test_an_icon_with_a_constant_name_is_text_of_the_compiled_template() -> None:
    (node,) = Template('{% icon "alert" %}').nodelist

    assert type(node) is TextNode


def test_the_name_of_an_icon_is_escaped() -> None:
    assert "<b>" not in Template("{% icon name %}").render(Context({"name": "<b>"}))


def test_an_icon_needs_a_name() -> None:
    with pytest.raises(TemplateSyntaxError):
        Template("{% icon %}")

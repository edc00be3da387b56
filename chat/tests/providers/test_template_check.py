"""Pasted chat templates: rendered once before they are kept."""

import pytest

from chat.providers.template_check import problem

pytestmark = pytest.mark.process


def test_a_template_that_renders_is_no_problem() -> None:
    assert problem("{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}") == ""


@pytest.mark.parametrize(
    "template", ["{% for %}", "{{ messages.nothing.there }}", "{{ raise_exception('no') }}"]
)
def test_one_that_does_not_says_why(template: str) -> None:
    assert problem(template).startswith("The chat template does not work")

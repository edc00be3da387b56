"""`docs/architecture.md` names what there is."""

import ast
import re

import pytest
from django.conf import settings

PAGE = (settings.BASE_DIR / "docs/architecture.md").read_text(encoding="utf-8")
PATH = re.compile(r"`([a-z_]+(?:/[a-z_A-Z0-9.-]+)+)(?:::(\w+))?`")
NAMED = sorted(set(PATH.findall(PAGE)))


@pytest.mark.parametrize(("path", "function"), NAMED)
def test_what_the_page_names_is_there(path: str, function: str) -> None:
    place = settings.BASE_DIR / path
    assert place.exists()
    if function:
        tree = ast.parse(place.read_text(encoding="utf-8"))
        assert function in {getattr(node, "name", None) for node in tree.body}


def test_the_page_names_many_modules() -> None:
    assert len(NAMED) > 40

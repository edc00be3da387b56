"""Constants within statements."""

import pytest
from django.contrib.auth.models import User
from django.db.models import QuerySet

from db.literals import Literal, literals

HOSTILE = "it's 100 % \\ \" ; --"


def named(*names: str) -> QuerySet[User]:
    return User.objects.filter(username__in=literals(names))


def test_a_literal_is_no_parameter() -> None:
    sql, parameters = named("a", "b").query.sql_with_params()
    assert "IN ('a', 'b')" in sql
    assert parameters == ()


@pytest.mark.postgres
@pytest.mark.django_db
def test_a_literal_finds_what_the_parameter_would() -> None:
    User.objects.create_user(HOSTILE)
    User.objects.create_user("other")
    assert named(HOSTILE, "nobody").get().username == HOSTILE
    assert User.objects.get(username=Literal(HOSTILE)).username == HOSTILE

import pytest
from django.contrib.auth.models import Permission, User

from config.accounts.roles import Role, assign, role_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("role", [Role.ADMIN, Role.MEMBER, Role.VIEWER])
def test_a_role_that_was_given_is_read_again(role: Role) -> None:
    user = User.objects.create_user("someone")
    assign(user, role)

    assert role_of(User.objects.get()) == role


def test_a_viewer_of_traces_has_these_two_permissions_and_no_other() -> None:
    user = User.objects.create_user("someone")
    assign(user, Role.VIEWER)

    expected = {"tracing.view_trace", "tracing.view_dashboard"}
    assert User.objects.get().get_all_permissions() == expected


def test_a_role_takes_the_permissions_of_the_one_before() -> None:
    user = User.objects.create_user("someone", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="change_provider"))
    assert role_of(user) == Role.CUSTOM
    assign(user, Role.MEMBER)

    again = User.objects.get()
    assert not again.is_staff and not again.user_permissions.exists()


def test_giving_the_same_role_changes_nothing() -> None:
    assert not assign(User.objects.create_user("someone"), Role.MEMBER)

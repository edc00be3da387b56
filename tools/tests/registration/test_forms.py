"""What the form of a server saves, while a worker writes to the same row."""

import pytest
from django.contrib.auth.models import User
from django.forms.models import model_to_dict

from tools.models import Server
from tools.servers.forms import ServerForm

pytestmark = pytest.mark.django_db


def saved(server: Server, user: User, **changes: object) -> Server:
    """The row after the form has saved what it was shown before a worker wrote."""
    stored = {name: value for name, value in model_to_dict(server).items() if value is not None}
    form = ServerForm({**stored, "args": "", **changes}, instance=server, user=user)
    assert form.is_valid(), form.errors
    Server.objects.update(check_state="running", check_epoch=7, protocol="2026-07-28")
    form.save()
    return Server.objects.get()


@pytest.fixture
def admin() -> User:
    return User.objects.create_superuser("admin")


def test_saving_a_server_leaves_its_check_as_a_worker_wrote_it(admin: User) -> None:
    row = saved(Server.objects.create(name="notes", command="true"), admin, timeout_s=9)
    assert row.timeout_s == 9
    assert (row.check_state, row.check_epoch, row.protocol) == ("running", 7, "2026-07-28")


def test_saving_a_server_writes_what_other_fields_fill(admin: User) -> None:
    somebody = User.objects.create_user("somebody")
    server = Server.objects.create(name="notes", command="true", env={"A": "1"})
    changes = {"env_set": "KEY=secret", "shared": "chosen", "shared_with": [somebody.pk]}
    row = saved(server, admin, masked_too=["A"], **changes)
    assert row.env == {"A": "1", "KEY": "secret"}
    assert row.marks == {"A": True}
    assert row.shared_with.get() == somebody

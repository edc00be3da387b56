"""Uploads beyond those of a day are refused, and so is what exceeds the stored bytes of a rule."""

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from chat import storage
from chat.attachments import uploads
from chat.models import Attachment, QuotaRule
from chat.quotas.errors import QuotaExceeded
from chat.tests.quotas.conftest import Limit

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
Kind = QuotaRule.Kind


@pytest.fixture(params=["redis", "database"])
def counted_by(request: pytest.FixtureRequest) -> None:
    if request.param == "redis":
        request.getfixturevalue("redis_server")


@pytest.fixture(autouse=True)
def nothing_is_counted_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "_cache", {})


@pytest.mark.usefixtures("counted_by")
def test_an_upload_more_than_a_day_may_have_is_refused(user: User, limit: Limit) -> None:
    uploads.upload(user, "a.txt", b"before there was a limit")
    limit(Kind.UPLOADS_DAY, 2)
    uploads.upload(user, "b.txt", b"b")
    with pytest.raises(QuotaExceeded, match=r"Uploads a day. 2 of 2 are used, 0 left.") as refused:
        uploads.upload(user, "c.txt", b"c")
    assert refused.value.opens_at is not None
    assert refused.value.opens_at.hour == 0
    assert Attachment.objects.count() == 2


def test_a_rule_of_stored_bytes_comes_before_the_setting(user: User, limit: Limit) -> None:
    limit(Kind.STORED_BYTES, 10)
    with pytest.raises(QuotaExceeded, match="the limit is 10 B") as refused:
        uploads.upload(user, "a.txt", b"1" * 11)
    assert (refused.value.limit, refused.value.left) == (Kind.STORED_BYTES, 10)


def test_a_person_without_a_limit_stores_beyond_the_setting(
    user: User, limit: Limit, settings: Settings
) -> None:
    settings.USER_STORAGE_BYTES = 10
    limit(Kind.STORED_BYTES, None, user=user)
    assert uploads.upload(user, "a.txt", b"1" * 11).pk

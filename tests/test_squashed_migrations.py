"""The squashed migrations make what the migrations of commit 8fa103c0 made."""

import json
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from tests.squash_dump import dump

FIXTURES = Path(__file__).parent / "squashed_schema"


@pytest.mark.django_db
def test_a_fresh_database_is_that_of_the_old_migrations() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE {settings.CACHES['default']['LOCATION']}")  # of the tests' own
    old = json.loads((FIXTURES / f"{connection.vendor}.json").read_text())
    new = dump()
    assert new.keys() == old.keys()
    differences = {
        name: {
            "missing": [*set(old[name]) - {*new[name]}],
            "added": [*set(new[name]) - {*old[name]}],
        }
        for name in old
        if old[name] != new[name]
    }
    assert not differences, json.dumps(differences, indent=1)

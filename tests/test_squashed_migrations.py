"""The squashed migrations make what the migrations of commit 8fa103c0 made."""

import json
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from tests.squash_dump import dump

# Names that Django and PostgreSQL derive: from a table's name, which was another one once, and for
# a column that is made unique with its table.
NEW_NAMES = {
    "tracing_measure_last_failed_id_21172070": "tracing_metric_last_failed_id_07f18076",
    "tracing_measure_slowest_id_ff345ba9": "tracing_metric_slowest_id_7b611444",
    "tracing_measure_": "tracing_metric_",
    "chat_preset_public_id_9293a8a3_uniq": "chat_preset_public_id_key",
    "tools_servertool_offered_name_70f7835b_uniq": "tools_servertool_offered_name_key",
}
FIXTURES = Path(__file__).parent / "squashed_schema"


@pytest.mark.django_db
def test_a_fresh_database_is_that_of_the_old_migrations() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE {settings.CACHES['default']['LOCATION']}")  # of the tests' own
    text = (FIXTURES / f"{connection.vendor}.json").read_text()
    for name, new_name in NEW_NAMES.items():
        text = text.replace(name, new_name)
    old = {kind: sorted(lines) for kind, lines in json.loads(text).items()}
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

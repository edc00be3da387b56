import json

import pytest

from config.backup import home_keys, keys
from config.backup.errors import BadArchive, BadPassphrase
from config.backup.keys import Keys

OWN = Keys("signs", ["new", "old"])


def test_keys_are_what_they_were() -> None:
    assert keys.decrypt(keys.encrypt(OWN, "a pass phrase"), "a pass phrase") == OWN


def test_another_passphrase_is_refused() -> None:
    with pytest.raises(BadPassphrase, match="not the one"):
        keys.decrypt(keys.encrypt(OWN, "a pass phrase"), "another phrase")


def test_no_key_is_readable_in_what_is_stored() -> None:
    stored = keys.encrypt(OWN, "a pass phrase")
    assert b"signs" not in stored and b"old" not in stored


def test_a_changed_archive_is_refused() -> None:
    stored = json.loads(keys.encrypt(OWN, "a pass phrase"))
    with pytest.raises(BadPassphrase):
        keys.decrypt(json.dumps(stored | {"sealed": stored["salt"]}).encode(), "a pass phrase")


def test_what_is_no_json_is_a_damaged_archive() -> None:
    with pytest.raises(BadArchive):
        keys.decrypt(b"x", "a pass phrase")


def test_keys_of_the_home_stay_behind_those_of_the_archive() -> None:
    assert home_keys.merged(["new", "old"], ["own", "old"]) == ["new", "old", "own"]

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from config import home


@pytest.fixture(autouse=True)
def fresh_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROUNDTRIP_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_secret_is_made_once() -> None:
    assert home.secret("django") == home.secret("django")
    assert len(home.secret("django")) >= 50


def test_secrets_differ() -> None:
    assert home.secret("django") != home.secret("encryption")


def test_only_the_owner_reads_secrets(fresh_home: Path) -> None:
    home.secret("django")

    assert _mode(fresh_home / "keys" / "django") == 0o600
    assert _mode(fresh_home / "keys") == 0o700
    assert _mode(fresh_home) == 0o700


def test_of_many_who_start_at_once_all_have_the_same_secret() -> None:
    with ThreadPoolExecutor(16) as pool:
        secrets = set(pool.map(home.secret, ["django"] * 64))

    assert len(secrets) == 1


def test_a_start_leaves_no_drafts(fresh_home: Path) -> None:
    home.secret("django")

    assert [file.name for file in (fresh_home / "keys").iterdir()] == ["django"]


def test_a_checkout_keeps_its_state_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROUNDTRIP_HOME")
    assert home.default() == home.BASE_DIR / "var"


@pytest.mark.parametrize(
    ("data", "folder"),
    [
        ("/srv/data", "/srv/data/roundtrip"),
        ("", "/people/ada/.local/share/roundtrip"),
        ("relative", "/people/ada/.local/share/roundtrip"),
    ],
)
def test_an_installed_product_keeps_it_where_a_person_keeps_data(
    data: str, folder: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(home, "BASE_DIR", tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", data)
    monkeypatch.setenv("HOME", "/people/ada")

    assert home.default() == Path(folder)

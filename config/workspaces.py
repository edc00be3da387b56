"""How the machines of an installation share workspaces: the variables WORKSPACES and
WORKSPACES_DIR."""

import re
from collections.abc import Mapping
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

SHARED, PINNED, STORED = "shared", "pinned", "stored"
_URL = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9_./-]*)?")


def kind(environment: Mapping[str, str]) -> str:
    """SHARED, PINNED or STORED. Raises `ImproperlyConfigured`."""
    value = environment.get("WORKSPACES") or SHARED
    if value in (SHARED, PINNED):
        return value
    if _URL.fullmatch(value):
        return STORED
    raise ImproperlyConfigured(
        f"WORKSPACES has to be shared, pinned or s3://bucket/prefix, not {value!r}."
    )


def store_url(environment: Mapping[str, str]) -> str:
    """`s3://bucket/prefix`; "" unless workspaces are STORED."""
    return environment["WORKSPACES"] if kind(environment) == STORED else ""


def folder(environment: Mapping[str, str], home: Path) -> Path:
    """The folder with a folder a conversation. Raises `ImproperlyConfigured`."""
    value = environment.get("WORKSPACES_DIR")
    if not value:
        return home / "workspaces"
    path = Path(value)
    if not path.is_absolute():
        raise ImproperlyConfigured(f"WORKSPACES_DIR has to be an absolute path, not {value!r}.")
    return path

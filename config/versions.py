"""The version of the product, and version strings derived from the content of files."""

import hashlib
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import django


def static_files_version(folders: Iterable[Path]) -> str:
    """12 hex digits of SHA-256 over the files in `folders`, and Django's version (admin files)."""
    digest = hashlib.sha256(django.get_version().encode())
    for folder in folders:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            digest.update(str(file.relative_to(folder)).encode() + b"\0")
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:12]


@cache
def product_version() -> str:
    """Of the installed package; of the checkout that this file lies in where none is installed."""
    try:
        return version("roundtrip")
    except PackageNotFoundError:
        project = Path(__file__).resolve().parent.parent / "pyproject.toml"
        return str(tomllib.loads(project.read_text())["project"]["version"])

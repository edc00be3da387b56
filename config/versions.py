"""Version strings derived from the content of files."""

import hashlib
from collections.abc import Iterable
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

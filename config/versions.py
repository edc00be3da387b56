"""Short names for what files contain, to notice that they changed."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

import django


def of_static_files(folders: Iterable[Path]) -> str:
    """12 hex digits for the content of all files in `folders`, and Django's own (the admin's)."""
    digest = hashlib.sha256(django.get_version().encode())
    for folder in folders:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            digest.update(str(file.relative_to(folder)).encode() + b"\0")
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:12]

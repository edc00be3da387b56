import io
import os
import tarfile
from pathlib import Path

import pytest

from config.backup import folders
from config.backup.errors import BadArchive
from config.backup.folders import FolderWriter
from config.backup.manifest import FolderFacts


def packed(root: Path) -> tuple[bytes, FolderFacts]:
    stream = io.BytesIO()
    writer = FolderWriter(root)
    writer.write(stream)
    return stream.getvalue(), writer.facts


def hostile(name: str, kind: bytes = tarfile.REGTYPE) -> io.BytesIO:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        entry = tarfile.TarInfo(name)
        entry.type, entry.linkname = kind, "/etc/passwd"
        tar.addfile(entry)
    return io.BytesIO(stream.getvalue())


def test_files_folders_permissions_and_times_are_the_same(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "a" / "empty").mkdir(parents=True)
    (source / "a" / "程序.sh").write_bytes(b"\0" * 5_000)
    (source / "a" / "程序.sh").chmod(0o700)
    os.utime(source / "a" / "程序.sh", ns=(1, 1_700_000_000_123_456_789))
    folders.extract(io.BytesIO(packed(source)[0]), tmp_path / "copy")
    file = tmp_path / "copy" / "a" / "程序.sh"
    assert file.read_bytes() == b"\0" * 5_000
    assert file.stat().st_mode & 0o777 == 0o700
    assert file.stat().st_mtime_ns == 1_700_000_000_123_456_789
    assert (tmp_path / "copy" / "a" / "empty").is_dir()


def test_links_and_pipes_are_left_out_and_counted(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc/passwd")
    (tmp_path / "to_folder").symlink_to("/etc")
    os.mkfifo(tmp_path / "pipe")
    content, facts = packed(tmp_path)
    assert facts == FolderFacts(files=0, size=0, left_out=3)
    assert b"root:" not in content


@pytest.mark.parametrize("name", ["../outside", "/outside", "a/../../outside", ".."])
def test_a_path_that_leads_outside_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadArchive, match="no plain file"):
        folders.extract(hostile(name), tmp_path / "inside")
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE]
)
def test_links_and_devices_are_refused(kind: bytes) -> None:
    with pytest.raises(BadArchive, match="no plain file"):
        folders.check(hostile("x", kind))


def test_a_folder_that_was_cut_short_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"x" * 5_000)
    with pytest.raises(BadArchive):
        folders.check(io.BytesIO(packed(tmp_path)[0][:3_000]))

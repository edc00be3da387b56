import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

from config.backup.archive import ArchiveReader, ArchiveWriter
from config.backup.errors import BackupError, BadArchive
from config.backup.making import whole_file
from config.backup.manifest import FORMAT, Manifest


def an_archive(file: Path, **changes: Any) -> Path:
    """One member, which does not compress."""
    with file.open("wb") as stream:
        writer = ArchiveWriter(stream)
        with writer.compressed("tables/one.jsonl.zst") as member:
            member.write(bytes(range(256)) * 50)
        facts = {"product": "0.2.0", "created": "", "database": "sqlite", "migrations": []}
        writer.finish(Manifest(**{**facts, "members": writer.members, **changes}))
    return file


def test_an_archive_is_read_as_it_was_written(tmp_path: Path) -> None:
    with ArchiveReader(an_archive(tmp_path / "a")) as archive:
        archive.verify()
        with archive.decompressed("tables/one.jsonl.zst") as member:
            assert member.read() == bytes(range(256)) * 50


def test_an_archive_can_be_written_where_nobody_can_seek(tmp_path: Path) -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def tell(self) -> int:
            raise io.UnsupportedOperation

    pipe = Pipe()
    writer = ArchiveWriter(pipe)
    writer.write("keys.json", b"{}")
    writer.finish(Manifest("0.2.0", "", "sqlite", [], members=writer.members))
    (tmp_path / "a").write_bytes(pipe.getvalue())
    with ArchiveReader(tmp_path / "a") as archive:
        archive.verify()


@pytest.mark.parametrize("part", [0, 0.3, 0.9, 0.99])
def test_an_archive_that_was_cut_short_is_refused(tmp_path: Path, part: float) -> None:
    content = an_archive(tmp_path / "a").read_bytes()
    (tmp_path / "b").write_bytes(content[: int(part * len(content))])
    with pytest.raises(BadArchive, match="no whole archive"):
        ArchiveReader(tmp_path / "b")


def test_a_changed_byte_is_found(tmp_path: Path) -> None:
    content = bytearray(an_archive(tmp_path / "a").read_bytes())
    content[100] ^= 1
    (tmp_path / "a").write_bytes(content)
    with ArchiveReader(tmp_path / "a") as archive, pytest.raises(BadArchive):
        archive.verify()


def test_a_member_that_the_manifest_does_not_have_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(an_archive(tmp_path / "a"), "a") as archive:
        archive.writestr("../../etc/cron.d/x", "x")
    with pytest.raises(BadArchive, match="not those of its manifest"):
        ArchiveReader(tmp_path / "a")


def test_a_newer_format_is_refused_with_the_version_that_reads_it(tmp_path: Path) -> None:
    file = an_archive(tmp_path / "a", format=FORMAT + 1, product="0.9.0")
    with pytest.raises(BadArchive, match=r"Roundtrip 0\.9\.0 or newer"):
        ArchiveReader(file)


def test_a_file_that_is_there_stays_without_force(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("mine")
    with pytest.raises(BackupError, match="--force"), whole_file(tmp_path / "a", replaces=False):
        pass
    assert (tmp_path / "a").read_text() == "mine"


def test_a_file_that_could_not_be_completed_is_not_there(tmp_path: Path) -> None:
    with (
        pytest.raises(BackupError, match="No space left"),
        whole_file(tmp_path / "a", replaces=False) as stream,
    ):
        stream.write(b"x")
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_only_its_owner_reads_a_file(tmp_path: Path) -> None:
    with whole_file(tmp_path / "a", replaces=False) as stream:
        stream.write(b"x")
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600

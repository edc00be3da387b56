from pathlib import Path

import pytest

from config import home
from config.supervisor.redis_service import redis_plan


def test_the_private_redis_writes_no_file_and_what_it_once_wrote_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home, "secret", lambda name: "secret")
    (tmp_path / "redis" / "appendonlydir").mkdir(parents=True)
    for name in ("appendonly.aof", "dump.rdb", "appendonlydir/appendonly.aof.1.incr.aof"):
        (tmp_path / "redis" / name).write_text("what somebody wrote")
    redis_plan(tmp_path, {})
    assert [file.name for file in (tmp_path / "redis").iterdir()] == ["redis.conf"]
    lines = (tmp_path / "redis" / "redis.conf").read_text().splitlines()
    assert {"appendonly no", 'save ""'} <= set(lines)

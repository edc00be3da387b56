from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from tools import loop
from tools.tests.calling import Caller


@pytest.fixture
def caller(tmp_path: Path, settings: Settings) -> Iterator[Caller]:
    """Calls tools in a workspace of its own; all sessions are closed afterwards."""
    settings.HOME = tmp_path / "home"
    yield Caller(tmp_path / "workspace")
    loop.close()

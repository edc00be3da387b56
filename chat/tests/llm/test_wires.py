import subprocess
import sys

import pytest

pytestmark = pytest.mark.process

LOADED = "import sys, chat.llm.calling; print('openai' in sys.modules, 'anthropic' in sys.modules)"


def test_an_sdk_that_nobody_calls_is_not_loaded() -> None:
    found = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, timeout=30
    )
    assert found.stdout.split() == ["True", "False"]

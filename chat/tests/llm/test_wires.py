import subprocess
import sys

LOADED = "import sys, chat.llm.calling; print('openai' in sys.modules, 'anthropic' in sys.modules)"


def test_anthropics_sdk_is_not_loaded() -> None:
    found = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, timeout=30
    )
    assert found.stdout.split() == ["True", "False"]

"""The examples of docs/openai-api.md, run in order against the real server."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "openai-api.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)


def test_the_examples_of_the_page_run(
    server: str,
    secret: str,
    working: None,
    named: Callable[[str], str],
    assistant: Callable[..., str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    model = named("stub-echo")
    names: dict[str, Any] = {"base_url": f"{server}/v1", "token": secret, "model": model}
    names["assistant"] = assistant("stub-s7-n20", tools=[])
    for example in EXAMPLES:
        exec(compile(example, str(PAGE), "exec"), names)
    printed = capsys.readouterr().out
    assert len(EXAMPLES) == 4 and printed.startswith("hello\n") and model in printed
    assert printed.endswith("two\n")

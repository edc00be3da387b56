"""Renders a chat template of unknown origin in a process of its own.

Jinja's sandbox restricts what a template can reach, but not its time and memory: `"a" * 10**10` is
one step. The operating system bounds those.

Run as `python -m chat.llm.template_process`: `{"template", "variables"}` on stdin, `{"prompt"}` or
`{"reason", "line"}` on stdout.
"""

import json
import resource
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chat.llm.chat_template import rendered
from chat.llm.errors import BadTemplate
from languages.stored import stored
from limits.models import MAX_TEMPLATE_CPU_S, MAX_TEMPLATE_MEMORY_BYTES, MAX_TEMPLATE_S

_ROOT = Path(__file__).parents[2]


def render_in_process(template: str, variables: Mapping[str, Any]) -> str:
    """The prompt. Raises BadTemplate, also beyond `MAX_TEMPLATE_S` or the memory limit. Blocks for
    as long."""
    request = json.dumps({"template": template, "variables": variables}).encode()
    try:
        completed = subprocess.run(
            [sys.executable, "-m", "chat.llm.template_process"],
            input=request,
            capture_output=True,
            cwd=_ROOT,
            env={},
            timeout=MAX_TEMPLATE_S,
        )
    except subprocess.TimeoutExpired:
        raise BadTemplate(
            stored("it takes more than %(most)s seconds", most=f"{MAX_TEMPLATE_S:g}")
        ) from None
    if completed.returncode:
        raise BadTemplate(stored("it takes too much time or memory"))
    result = json.loads(completed.stdout)
    if "prompt" not in result:
        raise BadTemplate(result["reason"], result["line"])
    prompt: str = result["prompt"]
    return prompt


def _answer(request: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {"prompt": rendered(request["template"], request["variables"])}
    except BadTemplate as error:
        return {"reason": error.reason, "line": error.line}


def main() -> None:
    request = json.load(sys.stdin)
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_TEMPLATE_CPU_S, MAX_TEMPLATE_CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (MAX_TEMPLATE_MEMORY_BYTES, MAX_TEMPLATE_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    json.dump(_answer(request), sys.stdout)


if __name__ == "__main__":
    main()

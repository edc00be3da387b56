"""Renders a chat template that is not ours in a process of its own.

Jinja's sandbox keeps a template from what is not its business. It does not keep it from taking all
time and memory there is: `"a" * 10**10` is one step. The operating system does.

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

SECONDS = 5.0
_CPU_SECONDS = 4
_MEMORY = 384 * 1024 * 1024  # bytes of address space
_ROOT = Path(__file__).parents[2]


def rendered_apart(template: str, variables: Mapping[str, Any]) -> str:
    """The prompt. Raises BadTemplate, also when the template takes more than `SECONDS`, or more
    memory than a prompt can be worth. Blocks as long."""
    question = json.dumps({"template": template, "variables": variables}).encode()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "chat.llm.template_process"],
            input=question,
            capture_output=True,
            cwd=_ROOT,
            env={},
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise BadTemplate(f"it takes more than {SECONDS:g} seconds") from None
    if done.returncode:
        raise BadTemplate("it takes too much time or memory")
    said = json.loads(done.stdout)
    if "prompt" not in said:
        raise BadTemplate(said["reason"], said["line"])
    prompt: str = said["prompt"]
    return prompt


def _answer(question: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {"prompt": rendered(question["template"], question["variables"])}
    except BadTemplate as error:
        return {"reason": error.reason, "line": error.line}


def main() -> None:
    question = json.load(sys.stdin)
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    json.dump(_answer(question), sys.stdout)


if __name__ == "__main__":
    main()

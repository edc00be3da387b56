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
from limits.models import MAX_TEMPLATE_CPU_S, MAX_TEMPLATE_MEMORY_BYTES, MAX_TEMPLATE_S

_ROOT = Path(__file__).parents[2]


def rendered_apart(template: str, variables: Mapping[str, Any]) -> str:
    """The prompt. Raises BadTemplate, also when the template takes more than `MAX_TEMPLATE_S`, or
    more memory than a prompt can be worth. Blocks as long."""
    question = json.dumps({"template": template, "variables": variables}).encode()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "chat.llm.template_process"],
            input=question,
            capture_output=True,
            cwd=_ROOT,
            env={},
            timeout=MAX_TEMPLATE_S,
        )
    except subprocess.TimeoutExpired:
        raise BadTemplate(f"it takes more than {MAX_TEMPLATE_S:g} seconds") from None
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
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_TEMPLATE_CPU_S, MAX_TEMPLATE_CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (MAX_TEMPLATE_MEMORY_BYTES, MAX_TEMPLATE_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    json.dump(_answer(question), sys.stdout)


if __name__ == "__main__":
    main()

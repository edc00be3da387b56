"""`python -m tests.deployment.container FOLDER`: makes the image without Docker, and starts it.

The instructions of the Dockerfile run, stage by stage, in a Debian that debootstrap has just made
below FOLDER, by chroot. Then the last stage's command runs as its user, on a root that is mounted
read-only, with `/data` and `/tmp` of its own, until its health check says that it is ready. For
root on Debian: some minutes, and two gigabytes.
"""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.deployment import files
from tests.deployment.dockerfile import Instruction, stages

PACKAGES = "python3,python3-venv,ca-certificates"
# How the machine reaches its registries, wherever they are.
REGISTRIES = ("/etc/pip.conf", "/etc/apt", "/etc/resolv.conf", "/etc/ssl")
READY_S = 120


class Stage:
    """A root folder, and the state that instructions change."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = "/"
        self.user = ""
        self.environment = {"PATH": os.environ["PATH"], "HOME": "/root", "LANG": "C.UTF-8"}
        self.environment |= {
            name: value for name, value in os.environ.items() if name.startswith("PIP_")
        }
        self.commands: dict[str, list[str]] = {}

    def take(self, one: Instruction, built: "Stage | None") -> None:
        """Does one instruction."""
        match one.name:
            case "WORKDIR":
                self.folder = one.arguments
                (self.root / self.folder.lstrip("/")).mkdir(parents=True, exist_ok=True)
            case "ENV":
                for word in shlex.split(one.arguments):
                    name, _, value = word.partition("=")
                    self.environment[name] = value.replace("$PATH", self.environment["PATH"])
            case "USER":
                self.user = one.arguments
            case "RUN":
                sys.stdout.write(f"RUN {one.arguments}\n")
                sys.stdout.flush()
                self.run(["sh", "-euc", f"cd {self.folder} && {one.arguments}"])
            case "COPY":
                self._copy(one.words, built)
            case "ENTRYPOINT" | "CMD":
                self.commands[one.name] = json.loads(one.arguments)
            case "HEALTHCHECK":
                self.commands[one.name] = json.loads(one.arguments.partition("CMD ")[2])

    def run(self, command: Sequence[str]) -> None:
        subprocess.run(["chroot", self.root, *command], env=self.environment, check=True)

    def _copy(self, words: Sequence[str], built: "Stage | None") -> None:
        source, target = words[-2:]
        to = self.root / (target.lstrip("/") if target.startswith("/") else "")
        to = to if target.startswith("/") else self.root / self.folder.lstrip("/") / target
        if words[0].startswith("--from="):
            assert built is not None
            shutil.copytree(built.root / source.lstrip("/"), to, symlinks=True)
        elif source == ".":
            _copy_checkout(to)
        else:
            shutil.copy2(files.ROOT / source, to)


def _copy_checkout(to: Path) -> None:
    """What git has, without what `.dockerignore` names."""
    ignored = [
        re.compile(re.escape(line).replace(r"\*\*/", "(.*/)?").replace(r"\*", "[^/]*") + "(/|$)")
        for line in (files.ROOT / ".dockerignore").read_text().splitlines()
        if line and not line.startswith("#")
    ]
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=files.ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if not any(pattern.match(name) for pattern in ignored):
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(files.ROOT / name, to / name)


def base(folder: Path) -> Path:
    """A Debian with `python`, as the image in `FROM` is one."""
    root = folder / "base"
    if not root.exists():
        command = ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", "bookworm"]
        subprocess.run([*command, root], check=True, stdout=subprocess.DEVNULL)
        (root / "usr/bin/python").symlink_to("python3")
        for name in map(Path, REGISTRIES):
            if name.exists():
                to = root / name.relative_to("/")
                subprocess.run(["cp", "-aT", "--remove-destination", name, to], check=True)
    return root


def build(folder: Path) -> Stage:
    """The last stage, after all instructions."""
    last = None
    for number, found in enumerate(stages(files.DOCKERFILE)):
        root = folder / f"stage{number}"
        shutil.rmtree(root, ignore_errors=True)
        subprocess.run(["cp", "-a", base(folder), root], check=True)
        stage = Stage(root)
        for one in found[1:]:
            stage.take(one, last)
        last = stage
    assert last is not None
    return last


def start(stage: Stage, data: Path) -> subprocess.Popen[bytes]:
    """The command of the image, on a root that nothing can write to."""
    user, group = map(int, stage.user.split(":"))
    data.mkdir(mode=0o700, exist_ok=True)
    os.chown(data, user, group)
    command = [*stage.commands["ENTRYPOINT"], *stage.commands["CMD"]]
    root = shlex.quote(str(stage.root))
    script = (
        f"mount --bind {root} {root} && mount -o remount,ro,bind {root} "
        f"&& mount --bind {shlex.quote(str(data))} {root}/data && mount -t tmpfs none {root}/tmp "
        f"&& mount -t proc none {root}/proc && mount --rbind /dev {root}/dev "
        f"&& exec chroot --userspec={user}:{group} {root} {shlex.join(command)}"
    )
    return subprocess.Popen(
        ["unshare", "--mount", "--propagation=private", "sh", "-ec", script],
        env=_inside(stage),
        start_new_session=True,
    )


def _inside(stage: Stage) -> Mapping[str, str]:
    own = {"HOST": "127.0.0.1", "PORT": "18099", "HOME": "/data"}
    return {
        name: value for name, value in {**stage.environment, **own}.items() if "PIP" not in name
    }


def is_ready(stage: Stage) -> bool:
    command = ["chroot", str(stage.root), *stage.commands["HEALTHCHECK"]]
    return subprocess.run(command, env=_inside(stage), check=False).returncode == 0


def main(folder: Path) -> int:
    began = time.monotonic()
    stage = build(folder)
    size = subprocess.run(
        ["du", "-sm", stage.root / "opt/roundtrip"], capture_output=True, text=True, check=True
    )
    built_s = time.monotonic() - began
    sys.stdout.write(f"Built in {built_s:.0f} s; /opt/roundtrip has {size.stdout.split()[0]} MB.\n")
    process = start(stage, folder / "data")
    began = time.monotonic()
    try:
        while not is_ready(stage):
            if process.poll() is not None or time.monotonic() - began > READY_S:
                sys.stdout.write("It did not become ready.\n")
                return 1
            time.sleep(1)
        sys.stdout.write(f"Ready after {time.monotonic() - began:.0f} s.\n")
    finally:
        process.send_signal(signal.SIGTERM)
        status = process.wait(30)
    sys.stdout.write(f"Ended with status {status}.\n")
    return status


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

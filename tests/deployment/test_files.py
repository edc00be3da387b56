"""The files for containers and service managers are well formed, and say what the product has."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from config import release
from config.command_line.table import COMMANDS
from tests.deployment import dockerfile, files

PROGRAMS = Path(sys.executable).parent
DOCUMENTED = set(
    re.findall(r"`([A-Z][A-Z_0-9]+)`", (files.ROOT / "docs/operations.md").read_text())
)


def test_hadolint_finds_nothing_in_the_dockerfile() -> None:
    done = subprocess.run(
        [PROGRAMS / "hadolint", files.DOCKERFILE], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_what_the_dockerfile_copies_is_there_and_not_ignored() -> None:
    ignored = (files.ROOT / ".dockerignore").read_text().split()
    first, last = dockerfile.stages(files.DOCKERFILE)
    copied = [one.words[0] for one in first if one.name == "COPY"]
    assert copied == ["requirements.txt", "."]
    assert (files.ROOT / copied[0]).exists() and not {*copied, "config"} & set(ignored)
    assert [one.words[:2] for one in last if one.name == "COPY"] == [
        ["--from=build", "/opt/roundtrip"]
    ]


def test_the_image_runs_as_nobody_and_answers_probes() -> None:
    last = {one.name: one.arguments for one in dockerfile.stages(files.DOCKERFILE)[-1]}
    assert last["USER"] == "10001:10001"
    assert '"config.healthcheck"' in last["HEALTHCHECK"]
    assert json.loads(last["ENTRYPOINT"]) == ["roundtrip"]
    assert json.loads(last["CMD"])[0] in COMMANDS


def test_compose_is_what_its_schema_asks_for() -> None:
    command = [str(PROGRAMS / "check-jsonschema"), "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run(
        [*command, str(files.COMPOSE)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_every_process_is_confined_and_runs_a_command_of_ours() -> None:
    services = files.our_services()
    assert set(services) == {"migrate", "web", "turns", "tools"}
    for one in services.values():
        assert one["read_only"] and one["cap_drop"] == ["ALL"]
        assert one["command"][0] in COMMANDS
    pods = files.pods()
    assert set(pods) == {f"roundtrip-{name}" for name in services}
    for pod in pods.values():
        [container] = pod["containers"]
        assert container["args"][0] in COMMANDS
        assert container["securityContext"]["readOnlyRootFilesystem"]
        assert pod["securityContext"]["runAsNonRoot"]


def test_only_the_page_is_published_and_only_on_this_machine() -> None:
    services = files.compose()["services"]
    assert {name for name, one in services.items() if "ports" in one} == {"web"}
    assert services["web"]["ports"] == ["${LISTEN:-127.0.0.1}:${PORT:-8000}:8000"]
    assert files.compose()["networks"]["inside"]["internal"]
    assert services["database"]["networks"] == services["redis"]["networks"] == ["inside"]


def test_every_variable_is_documented() -> None:
    named = {name for one in files.our_services().values() for name in one["environment"]}
    [settings] = [one["data"] for one in files.kubernetes() if one["kind"] == "ConfigMap"]
    unit = files.unit()["Service"]["Environment"].partition("=")[0]
    assert {*named, *settings, unit} <= DOCUMENTED


def test_kubernetes_names_fit_together() -> None:
    made = files.kubernetes()
    claims = {one["metadata"]["name"] for one in made if one["kind"] == "PersistentVolumeClaim"}
    deployments = {one["metadata"]["name"]: one for one in made if one["kind"] == "Deployment"}
    for one in deployments.values():
        labels = one["spec"]["template"]["metadata"]["labels"]
        assert one["spec"]["selector"]["matchLabels"] == labels
    for pod in files.pods().values():
        [container] = pod["containers"]
        volumes = {one["name"] for one in pod["volumes"]}
        assert {one["name"] for one in container["volumeMounts"]} == volumes
        assert pod["volumes"][0]["persistentVolumeClaim"]["claimName"] in claims
    for scaler in (one for one in made if one["kind"] == "HorizontalPodAutoscaler"):
        assert scaler["spec"]["scaleTargetRef"]["name"] in deployments


def test_probes_ask_for_what_is_served_on_ports_that_exist() -> None:
    for name, pod in files.pods().items():
        if name == "roundtrip-migrate":
            continue
        [container] = pod["containers"]
        ports = {one["name"] for one in container["ports"]}
        for kind in ("startup", "readiness", "liveness"):
            probe = container[f"{kind}Probe"]["httpGet"]
            expected = "/health/live" if kind == "liveness" else "/health/ready"
            assert probe["path"] == expected and probe["port"] in ports


def test_the_example_names_the_image_of_this_version() -> None:
    images = {one["containers"][0]["image"] for one in files.pods().values()}
    assert images == {f"roundtrip:{release.version()}"}


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="this machine has no systemd")
def test_systemd_takes_the_unit_and_finds_it_confined(tmp_path: Path) -> None:
    unit = tmp_path / files.UNIT.name
    text = files.UNIT.read_text()
    assert "/opt/roundtrip/bin/roundtrip run" in text
    unit.write_text(text.replace("/opt/roundtrip/bin/roundtrip", shutil.which("true") or ""))
    command = ["systemd-analyze", "--no-pager"]
    checked = subprocess.run(
        [*command, "verify", unit], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")
    command += ["security", "--offline=true", "--threshold=30", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout

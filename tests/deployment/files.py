"""The files, parsed."""

from configparser import ConfigParser
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE, COMPOSE = ROOT / "Dockerfile", ROOT / "compose.yaml"
KUBERNETES = ROOT / "deploy/kubernetes/roundtrip.yaml"
UNIT = ROOT / "deploy/systemd/roundtrip.service"


def compose() -> dict[str, Any]:
    """The composition, with merge keys resolved."""
    return dict(yaml.safe_load(COMPOSE.read_text()))


def our_services() -> dict[str, dict[str, Any]]:
    """The services of the composition that run the image."""
    services = compose()["services"].items()
    return {name: one for name, one in services if one["image"] == "roundtrip"}


def kubernetes() -> list[dict[str, Any]]:
    return [one for one in yaml.safe_load_all(KUBERNETES.read_text()) if one]


def pods() -> dict[str, dict[str, Any]]:
    """The specifications of pods by the name of what makes them."""
    makers = [one for one in kubernetes() if one["kind"] in ("Deployment", "Job")]
    return {one["metadata"]["name"]: one["spec"]["template"]["spec"] for one in makers}


def unit() -> ConfigParser:
    """The unit. Of a name that is set twice the last counts."""
    parser = ConfigParser(interpolation=None, strict=False, comment_prefixes="#", delimiters="=")
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(UNIT.read_text())
    return parser

"""Every kind of content that a server answers with."""

import sys
from pathlib import Path

import pytest

from tools.results import content
from tools.tests.calling import Caller
from tools.tests.servers import rich
from tools.values.server_config import ServerConfig

pytestmark = pytest.mark.process

PROGRAM = Path(rich.__file__)
RICH = ServerConfig("rich", "stdio", command=sys.executable, args=(str(PROGRAM),), timeout_s=20.0)


def test_a_picture_is_kept_whole_and_described(caller: Caller) -> None:
    result = caller.call(RICH, "picture")
    assert result.content == rich.RESULTS["picture"]["content"]
    (about,) = content.described(result.content)
    assert about == {
        "index": 1,
        "kind": "image",
        "media_type": "image/png",
        "size": len(rich.png()),
    }


@pytest.mark.parametrize(
    ("tool", "kinds"),
    [
        ("sound", ["audio"]),
        ("links", ["link", "text", "file"]),
        ("mislabelled", ["file"]),
        ("table", []),
    ],
)
def test_blocks_are_described_by_how_they_can_be_shown(tool: str, kinds: list[str]) -> None:
    described = content.described(rich.RESULTS[tool]["content"])
    assert [one["kind"] for one in described] == kinds


def test_only_bytes_that_are_an_image_are_one() -> None:
    assert content.images(rich.RESULTS["mislabelled"]["content"]) == []
    assert [image.content for image in content.images(rich.RESULTS["picture"]["content"])] == [
        rich.png()
    ]


@pytest.mark.parametrize("data", ["%%%", "AAA", "é"])
def test_what_is_not_base64_has_no_bytes(data: str) -> None:
    assert content.media({"type": "image", "data": data, "mimeType": "image/png"}) is None


def test_a_link_is_described_with_its_whole_address() -> None:
    link = content.described(rich.RESULTS["links"]["content"])[0]
    assert (link["uri"], link["name"]) == ("https://example.org/a?b=<c>", "A page")


def test_structured_content_stays_beside_the_text(caller: Caller) -> None:
    result = caller.call(RICH, "structured")
    assert (result.text, result.structured) == ("Two people.", {"people": rich.ROWS})


def test_structured_content_that_breaks_its_schema_is_an_error_with_all_that_came(
    caller: Caller,
) -> None:
    result = caller.call(RICH, "untrue")
    assert result.is_error
    assert "at $.total: 'three' is not of type 'integer'" in result.text
    assert result.content[1:] == rich.RESULTS["untrue"]["content"]
    assert result.structured == {"total": "three"}

"""Strict reading of a request's body, for judging what is in it before the same bytes are sent.

A body that two readers could read differently is refused: JSON by `chat.llm.request_members`, and
forms that are not plainly those of RFC 7578.
"""

import re
from collections.abc import Iterator

from api.gateway.headers import Pairs
from api.gateway.operations import Body
from api.gateway.refusals import BadRequest, TooLarge, visible
from chat.llm.request_members import DoubtfulName, Member, read_members
from limits.gateway import MAX_GATEWAY_JUDGED_VALUES

_JSON_TYPE = re.compile(r'application/json(?:\s*;\s*charset="?utf-8"?)?', re.IGNORECASE)
_FORM_TYPE = re.compile(
    r"multipart/form-data\s*;\s*boundary="
    r"""(?:([A-Za-z0-9'+_.-]{1,70})|"([A-Za-z0-9'()+_,./:=?-]{1,70})")""",
    re.IGNORECASE,
)
_DISPOSITION = re.compile(
    rb'content-disposition: form-data; name="([A-Za-z0-9_.\[\]-]{1,100})"'
    rb'(; filename="[^"\\\x00-\x1f\x7f]+"'
    rb"(?:; filename\*=utf-8''[A-Za-z0-9%._~!$&+^`-]*)?)?",
    re.IGNORECASE,
)
_PART_TYPE = re.compile(rb"content-type: [\x20-\x7e]+|content-length: [0-9]+", re.IGNORECASE)
_TEXT_TYPE = re.compile(
    rb"content-type: text/plain(?:; charset=utf-8)?|content-length: [0-9]+", re.IGNORECASE
)
_PARTS_OF_FORM = 1_000  # of a form

_NO_JSON = "The body has to be a JSON object in UTF-8."
_TWICE = "“{name}” stands twice in one object of the body."
_NO_FORM = "The body is no plain multipart/form-data, with CRLF, quoted names and no encodings."


def is_of_kind(kind: Body, headers: Pairs) -> bool:
    """Whether the headers announce a body of this kind and nothing that encodes it."""
    if kind is Body.NONE:
        return True
    types = [value.strip() for name, value in headers if name == "content-type"]
    encoded = any(name == "content-encoding" for name, _ in headers)
    pattern = _JSON_TYPE if kind is Body.JSON else _FORM_TYPE
    return len(types) == 1 and pattern.fullmatch(types[0]) is not None and not encoded


def members_of(body: bytes, kind: Body, headers: Pairs) -> list[Member]:
    """All members that a provider may read as settings, at any depth. Raises BadRequest, and
    TooLarge for JSON that would take many times its size in memory."""
    if kind is Body.FORM:
        content_type = next(value for name, value in headers if name == "content-type")
        return list(_form_members(body, content_type.strip()))
    if kind is Body.JSON:
        return _json_members(body)
    if body:
        raise BadRequest("This call has no body.")
    return []


def _json_members(body: bytes) -> list[Member]:
    if sum(map(body.count, (b"[", b"{", b","))) > MAX_GATEWAY_JUDGED_VALUES:
        raise TooLarge(f"The body may have {MAX_GATEWAY_JUDGED_VALUES:,} commas and brackets.")
    try:
        return list(read_members(body))
    except DoubtfulName as error:
        raise BadRequest(_TWICE.format(name=visible(error.name))) from None
    except ValueError:
        raise BadRequest(_NO_JSON) from None


def _form_members(body: bytes, content_type: str) -> Iterator[Member]:
    """Each place where the boundary stands has to be a delimiter, on a line of its own
    (RFC 2046, 5.1.1)."""
    match = _FORM_TYPE.fullmatch(content_type)
    if match is None:
        raise BadRequest(_NO_FORM)
    before, *parts = body.split(f"--{match[1] or match[2]}".encode(), _PARTS_OF_FORM)
    if before or not parts or parts.pop() not in (b"--", b"--\r\n"):
        raise BadRequest(_NO_FORM)
    for part in parts:
        head, blank, content = part[2:-2].partition(b"\r\n\r\n")
        if not (blank and part.startswith(b"\r\n") and part.endswith(b"\r\n")):
            raise BadRequest(_NO_FORM)
        yield _form_member(head.split(b"\r\n"), content)


def _form_member(lines: list[bytes], content: bytes) -> Member:
    dispositions = [match for line in lines if (match := _DISPOSITION.fullmatch(line))]
    if len(dispositions) != 1:
        raise BadRequest(_NO_FORM)
    (match,) = dispositions
    pattern = _PART_TYPE if match[2] else _TEXT_TYPE
    others = [line for line in lines if not _DISPOSITION.fullmatch(line)]
    if not all(pattern.fullmatch(line) for line in others):
        raise BadRequest(_NO_FORM)
    if match[2]:
        return Member(0, match[1].decode(), None)
    try:
        return Member(0, match[1].decode(), content.decode())
    except UnicodeDecodeError:
        raise BadRequest(_NO_FORM) from None

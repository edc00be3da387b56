"""The formats of an export, by the name in its address."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from chat.models import Conversation
from chat.transfer import markdown_text, own_json, shown_branch, training
from chat.transfer.zips import Document, zip_pieces
from tracing.formatting.text import visible

Keys = Sequence[int]
_BATCH = 100
_NO_NAME = re.compile(r"[^\w\- ]+")


@dataclass(frozen=True)
class Options:
    """`traces`: with the traces of the turns; `liked`: only answers with a thumb up. Each counts
    for the formats that know it."""

    traces: bool = False
    liked: bool = False


@dataclass(frozen=True)
class Format:
    """`pieces` writes the conversations with these primary keys; `ending_of_many` and `media_type`
    are of the file, which is a zip where several documents make one."""

    name: str
    label: str | Promise
    help: str | Promise
    pieces: Callable[[Keys, Options], Iterator[Any]]
    ending: str
    ending_of_many: str
    media_type: str

    def file_name(self, keys: Keys) -> str:
        """The title of a single conversation, else "conversations"."""
        rows = Conversation.objects.filter(pk__in=keys[:2])
        single = rows.first() if len(keys) == 1 else None
        ending = self.ending if len(keys) == 1 else self.ending_of_many
        return f"{title_as_name(str(single)) if single else 'conversations'}.{ending}"

    def type_of(self, keys: Keys) -> str:
        is_zip = len(keys) != 1 and self.ending_of_many == "zip"
        return "application/zip" if is_zip else self.media_type


def title_as_name(title: str) -> str:
    """A title as the name of a file."""
    words = _NO_NAME.sub(" ", visible(title)).split()
    return "-".join(words)[:80] or "conversation"


def conversations(keys: Keys) -> Iterator[Conversation]:
    """Those of these keys that are still there, in their order."""
    for start in range(0, len(keys), _BATCH):
        some = keys[start : start + _BATCH]
        rows = Conversation.objects.in_bulk(some)
        yield from (rows[key] for key in some if key in rows)


def _own(keys: Keys, options: Options) -> Iterator[str]:
    return own_json.export(keys, with_traces=options.traces)


def _markdown(keys: Keys, options: Options) -> Iterator[Any]:
    if len(keys) != 1:
        yield from zip_pieces(_documents(keys))
        return
    for row in conversations(keys):
        yield from markdown_text.document(shown_branch.read(row))


def _documents(keys: Keys) -> Iterator[Document]:
    for row in conversations(keys):
        yield f"{title_as_name(str(row))}.md", markdown_text.document(shown_branch.read(row))


def _openai(keys: Keys, options: Options) -> Iterator[str]:
    for row in conversations(keys):
        yield training.openai_line(shown_branch.read(row), only_liked=options.liked)


def _sharegpt(keys: Keys, options: Options) -> Iterator[str]:
    yield "["
    is_first = True
    for row in conversations(keys):
        if example := training.sharegpt(shown_branch.read(row), only_liked=options.liked):
            yield ("" if is_first else ",\n") + example
            is_first = False
    yield "]\n"


FORMATS = {
    one.name: one
    for one in (
        Format(
            "json",
            _("JSON (everything)"),
            _("All branches, attachments and settings. Roundtrip imports it again."),
            _own,
            "json",
            "json",
            "application/json",
        ),
        Format(
            "markdown",
            _("Markdown"),
            _("The shown branch, to read."),
            _markdown,
            "md",
            "zip",
            "text/markdown; charset=utf-8",
        ),
        Format(
            "openai",
            _("OpenAI fine-tuning (JSONL)"),
            _("The shown branch, with tools, a line for each conversation."),
            _openai,
            "jsonl",
            "jsonl",
            "application/jsonl",
        ),
        Format(
            "sharegpt",
            _("ShareGPT (JSON)"),
            _("The shown branch, as many training tools read it."),
            _sharegpt,
            "sharegpt.json",
            "sharegpt.json",
            "application/json",
        ),
    )
}

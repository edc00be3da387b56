"""The tool `search_files`: passages of a person's files, as quotations with their place.

It searches the files of the conversation (of the topmost one, for a subagent) and of its project;
with `scope="all"` all files of the person, if they allow that in their settings. Where members of a
group write, it searches the files of the conversation alone, whoever asks: the owner's project and
other files are theirs, and what members write could make a model search them.
"""

from collections.abc import Sequence
from typing import Any

from django.urls import reverse

from chat.agent.claimed_call import ClaimedCall
from chat.models import Attachment, Passage, PersonalSettings, ProjectFile, SearchedFile
from chat.search.files import index
from chat.search.files.indexing import index_files
from chat.search.files.ranking import query_terms, ranked
from limits.search import MAX_FILE_QUERY, MAX_FOUND_PASSAGES, MAX_READ_PASSAGES
from tools.values.call import ToolResult
from tools.values.sources import CITE, NOT_INSTRUCTIONS, Quotation, Source, SourcedText

USUAL_COUNT = 6
# Searched one by one up to this number of files; beyond it among all of the owner.
_FEW = 500
NOT_ALLOWED = (
    "Error: the user does not allow a search in all their files; they can in their settings, under "
    "Conversations. Search this conversation's files instead."
)
NO_FILES = "Error: there are no files to search here."


def search(call: ClaimedCall, arguments: dict[str, Any]) -> ToolResult:
    query = str(arguments.get("query") or "").strip()
    if len(query) > MAX_FILE_QUERY:
        return ToolResult.error(f"Error: the query has more than {MAX_FILE_QUERY:,} characters.")
    is_all = arguments.get("scope") == "all"
    if is_all and not (_is_private(call) and _searches_all(call)):
        return ToolResult.error(NOT_ALLOWED)
    files = _files(call, is_all)
    if not files:
        return ToolResult.error(NO_FILES)
    if name := str(arguments.get("file") or "").strip():
        chosen = [one for one in files if _is_named(one, name)]
        if not chosen:
            return ToolResult.error(_unknown(name, files))
        files = chosen
    number = arguments.get("passage")
    if isinstance(number, int) and name:
        return _read_on(files[0], number)
    limit = arguments.get("limit")
    most = limit if isinstance(limit, int) and limit > 0 else USUAL_COUNT
    return _found(query, files, min(most, MAX_FOUND_PASSAGES))


def _is_private(call: ClaimedCall) -> bool:
    """Whether the conversation's owner asked, and nobody else writes there. What a subagent asks,
    nobody of them asked for."""
    return call.turn.has_personal_texts and call.turn.conversation.parent_call_id is None


def _searches_all(call: ClaimedCall) -> bool:
    return PersonalSettings.of(call.turn.user).searches_all_files


def _files(call: ClaimedCall, is_all: bool) -> list[SearchedFile]:
    """Those that were written a moment ago are indexed first."""
    conversation = call.turn.conversation.top
    own = Attachment.objects.filter(message__conversation=conversation, media_type="text/plain")
    project = ProjectFile.objects.filter(project=conversation.project_id or 0)
    index_files(own.values_list("pk", flat=True), project.values_list("pk", flat=True))
    files = SearchedFile.objects.of_conversation(conversation, with_project=_is_private(call))
    if is_all:
        files = SearchedFile.objects.for_user(call.turn.user).of_all() | files
    related = files.select_related("attachment", "project_file")
    unread = related.defer("attachment__content", "project_file__content")
    return list(unread.distinct().order_by("-id"))


def _is_named(file: SearchedFile, name: str) -> bool:
    return name in (file.name, file.handle, str(file.public_id), file.public_id.hex)


def _unknown(name: str, files: Sequence[SearchedFile]) -> str:
    known = ", ".join(f"{one.name} ({one.handle})" for one in files[:20])
    return f"Error: there is no file {name!r}. There are: {known}."


def _found(query: str, files: Sequence[SearchedFile], most: int) -> ToolResult:
    terms = query_terms(query)
    if not terms:
        return ToolResult.error("Error: the query has no words.")
    by_key = {one.pk: one for one in files}
    owners = {one.owner_id for one in files}
    is_many = len(files) > _FEW and len(owners) == 1
    keys = index.candidates(terms, files[0].owner_id, None if is_many else list(by_key))
    rows = Passage.objects.filter(pk__in=keys, file__in=by_key).order_by("file", "number")
    passages = {row.pk: row for row in rows}
    best = ranked({pk: f"{row.heading}\n{row.text}" for pk, row in passages.items()}, terms)
    quotations: list[Quotation] = []
    texts: set[str] = set()
    for pk in best:
        row = passages[pk]
        # An attachment that was sent again is another file with the same text.
        if row.text not in texts and len(quotations) < most:
            texts.add(row.text)
            quotations.append(_quotation(by_key[row.file_id], row))
    if not quotations:
        names = ", ".join(one.name for one in files[:20])
        return ToolResult.of_text(f"Nothing matches in {len(files):,} files: {names}.")
    how = 'To read on around a passage: search_files with its "file" and "passage".'
    return ToolResult.of_text(SourcedText(quotations, NOT_INSTRUCTIONS, f"{CITE} {how}"))


def _read_on(file: SearchedFile, number: int) -> ToolResult:
    """The passages of a file from this one on, as one quotation."""
    rows = list(Passage.objects.filter(file=file, number__gte=number).order_by("number")[:50])
    if not rows or number < 1:
        count = file.passages_count
        return ToolResult.error(f"Error: {file.name} has the passages 1 to {count:,}.")
    texts: list[str] = []
    for at, row in enumerate(rows):
        page = rows[at - 1].page if at else row.page
        mark = f"[Page {row.page}]\n" if row.page != page else ""
        texts.append(f"{mark}{row.text}")
        if sum(map(len, texts)) > MAX_READ_PASSAGES:
            break
    last = rows[len(texts) - 1].number
    left = file.passages_count - last
    rest = f"\n\n[{left:,} passages follow; next passage: {last + 1}]" if left > 0 else ""
    first = _quotation(file, rows[0])
    head = first.text.removesuffix(rows[0].text)
    text = head + "\n\n".join(texts) + rest
    quotation = Quotation(first.source, text, first.quote)
    return ToolResult.of_text(SourcedText([quotation], NOT_INSTRUCTIONS, CITE))


def _quotation(file: SearchedFile, row: Passage) -> Quotation:
    place = f"page {row.page}" if row.page else f"line {row.line}"
    title = f"{file.name}, {place}"
    heading = f'\n    Under "{row.heading}"' if row.heading else ""
    about = f"file {file.handle}, passage {row.number} of {file.passages_count:,}"
    url = f"{reverse('chat:file_text', args=[file.public_id])}?at={row.number}#passage-{row.number}"
    return Quotation(Source(title, url), f"{title}\n    {about}{heading}\n{row.text}", row.text)

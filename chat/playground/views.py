"""The pages of the playground. Others' playgrounds are answered with 404, like missing ones."""

import uuid
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

import jobs
from chat import storage
from chat.errors import Rejected
from chat.models import LanguageModel, Playground, PlaygroundRun
from chat.playground import drafts, outputs, runs
from chat.playground.drafts import TOO_LONG, Unsendable, is_too_long
from chat.playground.outputs import Comparison, Output
from chat.playground.runs import PLAYGROUND_RUN
from chat.presentation.text import one_line
from chat.providers.parameters import EFFORTS
from chat.trace_views.prompt.source import generation_of
from db.public_ids import parse_public_id
from db.users import AnyUser, signed_in_user
from limits.replay import MAX_LISTED_PLAYGROUNDS, MAX_PLAYGROUND_TITLE
from tracing.journal import actions
from tracing.models import Archive, Span, Trace
from tracing.page.links import address


@dataclass(frozen=True)
class RunPage:
    """A run with its output, compared with another run or the original if one is chosen."""

    run: PlaygroundRun | None
    output: Output | None = None
    comparison: Comparison | None = None
    against: str = ""


@never_cache
@login_required
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    own = Playground.objects.for_user(request.user).annotate(count=Count("runs"))
    context = {"playgrounds": own.defer("draft")[:MAX_LISTED_PLAYGROUNDS]}
    return render(request, "playground/index.html", context)


@never_cache
@login_required
@require_POST
def create(request: HttpRequest) -> HttpResponse:
    """An empty playground, or one with the input of a recorded generation."""
    offered = list(LanguageModel.objects.for_user(request.user))
    source = _source(request)
    user = request.user
    assert user.is_authenticated
    try:
        storage.check_upload(user.pk)
        draft = drafts.of_generation(source, offered) if source else ""
    except Rejected as error:
        messages.error(request, str(error))
        return redirect(source.trace if source else "playground:index")
    if source is not None:
        actions.record(source.trace_id, "playground", user.pk, source)
    created = Playground.objects.create(
        archive=Archive.objects.create(owner=user),
        source=source,
        title=one_line(source.trace.name, MAX_PLAYGROUND_TITLE) if source else "",
        draft=draft or drafts.empty(next(iter(offered), None)),
    )
    return redirect(created)


@never_cache
@login_required
@require_safe
def playground(
    request: HttpRequest, public_id: uuid.UUID, number: int | None = None
) -> HttpResponse:
    """The page: at a run's address with the draft of that run, else with the latest draft."""
    found = _find(request, public_id)
    wanted = str(number) if number is not None else request.GET.get("run", "")
    run = _run_of(found, wanted)
    if number is not None and run is None:
        raise Http404("There is no such run.")
    text = run.draft if run is not None and number is not None else found.draft
    return _page(request, found, text, run)


@never_cache
@login_required
@require_POST
def keep_draft(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    """Keeps what is typed, sendable or not."""
    found = _find(request, public_id)
    text = _typed(request)
    if is_too_long(text):
        return JsonResponse({"sentence": TOO_LONG}, status=413)
    Playground.objects.filter(pk=found.pk).update(draft=text, updated=timezone.now())
    return HttpResponse(status=204)


@never_cache
@login_required
@require_POST
def run(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    """Asks for a run. A script is answered in JSON: the run's address, or what is wrong."""
    found = _find(request, public_id)
    text = _typed(request)
    try:
        if is_too_long(text):
            raise Rejected(TOO_LONG)
        storage.check_upload(request.user.pk or 0, len(text))  # the run keeps it too
        Playground.objects.filter(pk=found.pk).update(draft=text)
        asked = runs.ask(found, text, signed_in_user(request))
    except Rejected as error:
        return _refused(request, found, text, error)
    _entitle(found, text, request.user)
    place = _place(request, asked)
    if _is_script(request):
        part = reverse("playground:outputs", args=[public_id, asked.number])
        query = place.partition("&")[2]
        return JsonResponse({"url": place, "outputs": f"{part}?{query}"}, status=201)
    return redirect(place)


@never_cache
@login_required
@require_POST
def stop(request: HttpRequest, public_id: uuid.UUID, number: int) -> HttpResponse:
    found = _find(request, public_id)
    stopped = get_object_or_404(found.runs, number=number)
    runs.stop(stopped)
    return HttpResponse(status=204) if _is_script(request) else redirect(_place(request, stopped))


@never_cache
@login_required
@require_safe
def outputs_part(request: HttpRequest, public_id: uuid.UUID, number: int) -> HttpResponse:
    """The outputs alone, to be put into a page that is open while a run is under way."""
    found = _find(request, public_id)
    shown = _run_of(found, str(number))
    if shown is None:
        raise Http404("There is no such run.")
    return render(request, "playground/_outputs.html", _context(request, found, shown))


@never_cache
@login_required
@require_POST
def delete(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    _find(request, public_id).delete()
    messages.success(request, gettext("The playground and the traces of its runs are deleted."))
    return redirect("playground:index")


def _page(
    request: HttpRequest, found: Playground, text: str, run: PlaygroundRun | None, **more: Any
) -> HttpResponse:
    models = list(LanguageModel.objects.for_user(request.user))
    context = {
        **_context(request, found, run),
        "draft": text,
        "models": [(one, " ".join(drafts.dialects_of(one))) for one in models],
        "efforts": EFFORTS,
        "roles": drafts.ROLES,
        **more,
    }
    return render(request, "playground/page.html", context, status=422 if more else 200)


def _context(request: HttpRequest, found: Playground, run: PlaygroundRun | None) -> dict[str, Any]:
    original = _original(request, found)
    return {
        "playground": found,
        "runs": list(found.runs.defer("draft").select_related("model").order_by("-number")),
        "shown": _shown(request, found, run),
        "original": original,
        "original_address": address(original) if original else "",
    }


def _shown(request: HttpRequest, found: Playground, run: PlaygroundRun | None) -> RunPage:
    if run is None:
        return RunPage(None)
    jobs.give_up(PLAYGROUND_RUN, run)
    run.refresh_from_db()
    output = outputs.of_run(run)
    against, other = _other(request, found, run)
    comparison = outputs.compare(other, output) if other else None
    return RunPage(run, output, comparison, against)


def _other(
    request: HttpRequest, found: Playground, run: PlaygroundRun
) -> tuple[str, Output | None]:
    """The output to compare with: the one that the address names, else the original."""
    wanted = request.GET.get("against", "original")
    chosen = _run_of(found, wanted) if wanted.isdecimal() else None
    if chosen is not None and chosen.pk != run.pk:
        return wanted, outputs.of_run(chosen)
    original = _original(request, found) if wanted == "original" else None
    return (
        ("original", outputs.of_generation(original, gettext("Original")))
        if original
        else ("", None)
    )


def _original(request: HttpRequest, found: Playground) -> Span | None:
    """The generation that the playground was opened with, if the user may see it."""
    traces = Trace.objects.for_user(request.user)
    spans = Span.objects.select_related("trace", "parent").filter(trace__in=traces)
    return spans.filter(pk=found.source_id).first() if found.source_id else None


def _source(request: HttpRequest) -> Span | None:
    """The generation that the form names, in a trace that the user may see."""
    wanted, number = request.POST.get("trace", ""), request.POST.get("round", "")
    if not wanted:
        return None
    try:
        traces = Trace.objects.for_user(request.user).select_related("archive")
        trace = get_object_or_404(traces, public_id=parse_public_id(wanted))
        found = generation_of(trace, int(number[:9]), request.POST.get("attempt", ""))
    except ValueError:
        found = None
    if found is None:
        raise Http404("There is no such round.")
    return found


def _refused(request: HttpRequest, found: Playground, text: str, error: Rejected) -> HttpResponse:
    problems = error.problems if isinstance(error, Unsendable) else []
    if _is_script(request):
        listed = [{"path": one.path, "sentence": one.sentence} for one in problems]
        return JsonResponse({"sentence": str(error), "problems": listed}, status=422)
    return _page(request, found, text, None, sentence=str(error), problems=problems)


def _entitle(found: Playground, text: str, user: AnyUser) -> None:
    """Names an untitled playground after its first question."""
    if found.title:
        return
    draft = drafts.read(text, list(LanguageModel.objects.for_user(user)))
    questions = [one for one in draft.meant.messages if one["role"] == "user"]
    content = questions[0].get("content") if questions else ""
    title = one_line(content if isinstance(content, str) else "", MAX_PLAYGROUND_TITLE)
    Playground.objects.filter(pk=found.pk).update(title=title)


def _place(request: HttpRequest, run: PlaygroundRun) -> str:
    address = reverse("playground:playground", args=[run.playground.public_id])
    against = request.POST.get("against", "")
    known = against == "original" or against.isdecimal()
    return f"{address}?run={run.number}" + (f"&against={against}" if known else "")


def _run_of(found: Playground, number: str) -> PlaygroundRun | None:
    """The run with this number; the last one without a number."""
    own = found.runs.select_related("trace", "model")
    if not number:
        return own.order_by("-number").first()
    return own.filter(number=number).first() if number.isdecimal() and len(number) < 10 else None


def _find(request: HttpRequest, public_id: uuid.UUID) -> Playground:
    own = Playground.objects.for_user(request.user).select_related("archive")
    return get_object_or_404(own, public_id=public_id)


def _typed(request: HttpRequest) -> str:
    """The text of the draft, with its original line ends."""
    return request.POST.get("draft", "").replace("\r\n", "\n")


def _is_script(request: HttpRequest) -> bool:
    return request.headers.get("X-Requested-With") == "fetch"

"""The prompt text of a round: a page, a part of the trace page, and plain text.

Access is that of the trace, else 404. Templates may be changed by those who may change providers.
"""

import uuid
from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from chat.errors import Rejected
from chat.llm.dialects.chatml import QWEN2_5
from chat.llm.errors import BadTemplate
from chat.models import LanguageModel
from chat.permissions import CHANGE_PROVIDER
from chat.trace_views.prompt.marking import MarkedPrompt, mark_prompt
from chat.trace_views.prompt.source import PromptSource, generation_of, model_of, source_of
from tracing.journal import trace_rounds
from tracing.models import Span, Trace
from tracing.page.baselines import generation_before
from tracing.permissions import holds


@dataclass(frozen=True)
class PromptView:
    """A round of a trace, and the template for its prompt (empty: Qwen2.5's)."""

    trace: Trace
    number: int
    generation: Span
    model: LanguageModel | None
    template: str

    @property
    def is_own(self) -> bool:
        """Whether it is the template of the model's settings."""
        return bool(self.model and self.template and self.template == self.model.chat_template)

    @property
    def is_tried(self) -> bool:
        return bool(self.template) and not self.is_own

    def prompt(self) -> tuple[PromptSource, str]:
        source = source_of(self.generation)
        return source, source.prompt(self.template)

    def marked(self) -> tuple[PromptSource, MarkedPrompt]:
        """Raises BadTemplate, Rejected."""
        source, text = self.prompt()
        return source, mark_prompt(text, self._before())

    def _before(self) -> str | None:
        """The previous round's prompt with this template, if it has one."""
        before = generation_before(self.trace, self.number)
        try:
            return source_of(before).prompt(self.template) if before else None
        except (BadTemplate, Rejected):
            return None


@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, trace_id: uuid.UUID, number: int) -> HttpResponseBase:
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    look = _look(request, trace_id, number)
    if request.method == "POST":
        return _try(request, look)
    return _page(request, look)


@require_safe
def part(request: HttpRequest, trace_id: uuid.UUID, number: int) -> HttpResponse:
    """The part for the request column of the trace page."""
    look = _look(request, trace_id, number)
    return render(request, "prompt/_text.html", {"look": look, "in_ladder": True, **_shown(look)})


@require_safe
def plain(request: HttpRequest, trace_id: uuid.UUID, number: int) -> HttpResponse:
    """The prompt as plain text."""
    look = _look(request, trace_id, number)
    try:
        text, status = look.prompt()[1], 200
    except (BadTemplate, Rejected) as error:
        text, status = str(error), 422
    response = HttpResponse(
        text.encode(errors="replace"), content_type="text/plain; charset=utf-8", status=status
    )
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _try(request: HttpRequest, look: PromptView) -> HttpResponse:
    """Renders with a pasted template; with `keep` it is stored in the model's settings."""
    if not holds(request.user, CHANGE_PROVIDER):
        raise PermissionDenied
    pasted = request.POST.get("template", "").replace("\r\n", "\n")
    template = pasted if pasted.strip() and pasted != QWEN2_5 else ""
    tried = PromptView(look.trace, look.number, look.generation, look.model, template)
    if "keep" not in request.POST or look.model is None:
        return _page(request, tried)
    shown = _shown(tried)
    if shown["problem"]:
        return _page(request, tried)
    LanguageModel.objects.filter(pk=look.model.pk).update(chat_template=template)
    sentence = (
        gettext("The prompts of %(model)s are now shown through this template.")
        if template
        else gettext("The prompts of %(model)s are now shown through Qwen2.5's template.")
    )
    messages.success(request, sentence % {"model": look.model})
    return redirect(request.get_full_path())


def _page(request: HttpRequest, look: PromptView) -> HttpResponse:
    shown = _shown(look)
    context = {
        "look": look,
        "numbers": trace_rounds.round_numbers(look.trace),
        "template": look.template or QWEN2_5,
        **shown,
    }
    status = 422 if shown["problem"] and request.method == "POST" else 200
    return render(request, "prompt/page.html", context, status=status)


def _shown(look: PromptView) -> dict[str, object]:
    """The marked text, or the sentence that says why there is none."""
    try:
        source, marked = look.marked()
    except (BadTemplate, Rejected) as error:
        line = error.line if isinstance(error, BadTemplate) else None
        return {"problem": str(error), "problem_line": _line(look.template, line)}
    return {"problem": "", "dialect": source.dialect, "marked": marked}


def _line(template: str, number: int | None) -> str:
    """The line of the template that an error names."""
    lines = template.splitlines()
    return lines[number - 1][:300] if number and number <= len(lines) else ""


def _look(request: HttpRequest, trace_id: uuid.UUID, number: int) -> PromptView:
    traces = Trace.objects.for_user(request.user).select_related("archive")
    trace = get_object_or_404(traces, public_id=trace_id)
    generation = generation_of(trace, number, request.GET.get("attempt", ""))
    if generation is None:
        raise Http404("There is no such round.")
    model = model_of(generation)
    return PromptView(trace, number, generation, model, model.chat_template if model else "")

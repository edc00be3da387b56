"""Forking a conversation from its trace; 404 for others' traces."""

import uuid

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from chat.commands import fork as forks
from chat.errors import Rejected
from db.users import signed_in_user
from tracing.journal import trace_rounds
from tracing.models import Trace


@login_required
@require_POST
def fork(request: HttpRequest, trace_id: uuid.UUID, number: int) -> HttpResponse:
    """Forks up to this round; with `before` up to the turn's question."""
    trace = get_object_or_404(Trace.objects.for_user(request.user), public_id=trace_id)
    if number not in trace_rounds.round_numbers(trace):
        raise Http404("There is no such round.")
    wanted = None if "before" in request.POST else number
    try:
        forked = forks.fork(signed_in_user(request), trace, wanted)
    except Rejected as error:
        messages.error(request, str(error))
        return redirect(f"{trace.get_absolute_url()}?round={number}")
    if forked.note:
        messages.warning(request, forked.note)
    return redirect(forked.conversation)

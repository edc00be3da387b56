"""The admin's pages for models. A view fetches, calls one function, renders."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from audit.models import Action
from audit.recording import record
from chat.agent.windows import ASSUMED, model_window
from chat.llm.services import service
from chat.models import LanguageModel, Provider
from chat.permissions import CHANGE_PROVIDER
from chat.providers import checks, known_prices, listing, model_rows, outcome, parameters
from chat.providers.catalogue import ListedModel
from chat.providers.checks import CheckKind
from chat.providers.fields import pretty
from chat.providers.forms import LanguageModelForm
from chat.providers.parameters import ParametersForm
from db.users import signed_in_user
from tools.grants import GrantForm
from tools.rights import requires
from tracing.page.budget.context_window import window_source


@requires(CHANGE_PROVIDER)
@require_http_methods(["GET", "HEAD", "POST"])
def create(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """A model by its id; `?name=` fills in what the endpoint told of it."""
    owner = get_object_or_404(Provider, public_id=public_id)
    quirks = service(owner.service)
    name = request.GET.get("name", "")
    listed = next((model for model in listing.stored(owner) if model.id == name), ListedModel(name))
    begun = model_rows.draft(
        owner,
        listed,
        dialect=quirks.dialect,
        returns_reasoning=quirks.returns_reasoning,
        position=LanguageModel.objects.next_position(),
    )
    return _edit(request, begun)


@requires(CHANGE_PROVIDER)
@require_safe
def model(request: HttpRequest, public_id: UUID) -> HttpResponse:
    shown = _model(public_id)
    window = model_window(shown)
    context = {
        "model": shown,
        "outcome": outcome.read(shown),
        "window": window,
        "assumed_window": ASSUMED,
        "window_source": window_source(window.described()) if window else "",
        "conversations": model_rows.conversations_of([shown]),
        "shown_parameters": pretty(shown.parameters) if shown.parameters else "",
    }
    return render(request, "providers/model.html", context)


@requires(CHANGE_PROVIDER)
@require_safe
def status(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The part of the page that a check changes; polled while one runs."""
    shown = _model(public_id)
    context = {"model": shown, "outcome": outcome.read(shown)}
    return render(request, "providers/_status.html", context)


@requires(CHANGE_PROVIDER)
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, public_id: UUID) -> HttpResponse:
    return _edit(request, _model(public_id))


@requires(CHANGE_PROVIDER)
@require_POST
def test(request: HttpRequest, public_id: UUID) -> HttpResponse:
    return _check(request, public_id, CheckKind.TEST)


@requires(CHANGE_PROVIDER)
@require_POST
def probe(request: HttpRequest, public_id: UUID) -> HttpResponse:
    return _check(request, public_id, CheckKind.PROBE)


@requires(CHANGE_PROVIDER)
@require_POST
def make_default(request: HttpRequest, public_id: UUID) -> HttpResponse:
    chosen = _model(public_id)
    model_rows.make_default(chosen)
    record(Action.CHANGED, request.user, chosen, fields=["is_default"])
    messages.success(
        request, gettext("New conversations begin with %(chosen)s.") % {"chosen": chosen}
    )
    return redirect(chosen)


@requires(CHANGE_PROVIDER)
@require_POST
def offer(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Offers the model in conversations, or (`enabled` absent) does not any more."""
    switched = _model(public_id)
    enabled = request.POST.get("enabled") == "on"
    LanguageModel.objects.filter(pk=switched.pk).update(enabled=enabled)
    record(Action.SWITCHED, request.user, switched, on=enabled)
    return redirect(switched)


@requires(CHANGE_PROVIDER)
@require_POST
def move(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """One place up or down in the order in which people see the models."""
    to = "up" if request.POST.get("to") == "up" else "down"
    moved = _model(public_id)
    model_rows.move(moved, -1 if to == "up" else 1)
    record(Action.CHANGED, request.user, moved, fields=["position"])
    # The page goes on with the button that was pressed.
    return redirect(f"{reverse('providers:index')}#{to}-{public_id}")


@requires(CHANGE_PROVIDER)
@require_POST
def delete(request: HttpRequest, public_id: UUID) -> HttpResponse:
    deleted = _model(public_id)
    record(Action.DELETED, request.user, deleted)
    deleted.delete()
    messages.success(
        request,
        gettext("The model %(deleted)s was deleted. Its conversations are kept.")
        % {"deleted": deleted},
    )
    return redirect(deleted.provider)


def _check(request: HttpRequest, public_id: UUID, what: CheckKind) -> HttpResponse:
    checked = _model(public_id)
    checks.ask(checked, signed_in_user(request), what)
    return redirect(checked)


def _edit(request: HttpRequest, edited: LanguageModel) -> HttpResponse:
    form = LanguageModelForm(request.POST or None, instance=edited)
    grant = GrantForm(request.POST or None, edited)
    extras = ParametersForm(request.POST or None, initial=parameters.to_fields(edited.parameters))
    if request.method == "POST" and all([form.is_valid(), extras.is_valid(), grant.is_valid()]):
        edited.parameters = parameters.from_fields(extras.cleaned_data)
        is_new = edited.pk is None
        saved = form.save()
        known_prices.fill(saved.provider)
        grant.give(request.user)
        fields = [*form.changed_data, *extras.changed_data]
        record(Action.ADDED if is_new else Action.CHANGED, request.user, saved, fields=fields)
        if form.cleaned_data["make_default"]:
            model_rows.make_default(saved)
        model_rows.choose_for_titles(saved, is_chosen=form.cleaned_data["make_for_titles"])
        model_rows.probe_new([saved], signed_in_user(request))
        return redirect(saved)
    context = {
        "form": form,
        "parameters": extras,
        "grant": grant,
        "provider": edited.provider,
        "service": service(edited.provider.service),
        "listed": listing.stored(edited.provider),
        "model": LanguageModel.objects.filter(pk=edited.pk).first(),
    }
    return render(
        request,
        "providers/model_form.html",
        context,
        status=422 if request.method == "POST" else 200,
    )


def _model(public_id: UUID) -> LanguageModel:
    models = LanguageModel.objects.select_related("provider", "preset", "check_trace")
    return get_object_or_404(models, public_id=public_id)

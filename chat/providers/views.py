"""The admin's pages for providers. A view fetches, calls one function, renders."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from audit.models import Action
from audit.recording import record, record_saved
from chat.errors import Rejected
from chat.llm.services import SERVICES, Service, service
from chat.models import CassetteFile, LanguageModel, Provider
from chat.permissions import CHANGE_PROVIDER
from chat.providers import known_prices, listing, model_rows, window_lookup
from chat.providers.dialects import CHOICES
from chat.providers.forms import ServiceProviderForm
from chat.setup import ENVIRONMENT, LOCAL
from db.users import signed_in_user
from languages.later import later
from limits.models import MAX_ADDED_MODELS
from tools.rights import requires

# Providers that a start sets up again, and from what (`chat.setup`).
FOLLOWS = {
    ENVIRONMENT: later("the variables OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL"),
    LOCAL: later("the variable LOCAL_MODEL"),
}


@requires(CHANGE_PROVIDER)
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    context = {
        "models": LanguageModel.objects.in_order().prefetch_related("groups"),
        "providers": Provider.objects.annotate(model_count=Count("language_models")),
    }
    return render(request, "providers/index.html", context)


@requires(CHANGE_PROVIDER)
@sensitive_post_parameters("api_key")
@require_http_methods(["GET", "HEAD", "POST"])
def create(request: HttpRequest) -> HttpResponse:
    """Without `?service=` the choice of one; with it the form that it fills in."""
    chosen = SERVICES.get(request.GET.get("service", "-"))
    if chosen is None:
        return render(request, "providers/services.html", {"services": SERVICES.values()})
    begun = Provider(kind=chosen.kind, base_url=chosen.base_url, name=_free_name(chosen))
    return _edit(request, begun, chosen)


@requires(CHANGE_PROVIDER)
@require_safe
def provider(request: HttpRequest, public_id: UUID) -> HttpResponse:
    shown = _provider(public_id)
    return render(request, "providers/provider.html", {**_listing(shown), **_shown(shown)})


@requires(CHANGE_PROVIDER)
@sensitive_post_parameters("api_key")
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, public_id: UUID) -> HttpResponse:
    edited = _provider(public_id)
    return _edit(request, edited, service(edited.service))


@requires(CHANGE_PROVIDER)
@require_POST
def delete(request: HttpRequest, public_id: UUID) -> HttpResponse:
    deleted = _provider(public_id)
    record(Action.DELETED, request.user, deleted)
    deleted.delete()
    messages.success(
        request,
        gettext("The provider %(name)s and its models were deleted.") % {"name": deleted.name},
    )
    return redirect("providers:index")


@requires(CHANGE_PROVIDER)
@require_POST
def list_models(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Asks the endpoint for its models; the part of the page that shows them."""
    asked = _provider(public_id)
    problem = ""
    try:
        window_lookup.keep_listed(asked, listing.refresh(asked))
    except Rejected as error:
        problem = str(error)
    if request.headers.get("X-Requested-With") == "fetch":
        context = {**_listing(asked), "problem": problem}
        return render(request, "providers/_listing.html", context)
    if problem:
        messages.error(request, problem)
    return redirect(asked)


@requires(CHANGE_PROVIDER)
@require_POST
def add_models(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Adds what was ticked in the list."""
    owner = _provider(public_id)
    names = request.POST.getlist("name")[:MAX_ADDED_MODELS]
    dialect = request.POST.get("dialect", "")
    if dialect not in CHOICES or owner.kind not in CHOICES[dialect].kinds:
        dialect = service(owner.service).dialect
    quirk = service(owner.service).returns_reasoning
    added = model_rows.add(owner, names, dialect=dialect, returns_reasoning=quirk)
    known_prices.fill(owner)
    model_rows.probe_new(added, signed_in_user(request))
    for one in added:
        record(Action.ADDED, request.user, one)
    if added:
        sentence = ngettext(
            "%(count)s model was added.", "%(count)s models were added.", len(added)
        )
        messages.success(request, sentence % {"count": len(added)})
    return redirect(owner)


def _edit(request: HttpRequest, edited: Provider, chosen: Service) -> HttpResponse:
    before = edited.base_url
    form = ServiceProviderForm(request.POST or None, instance=edited, service=chosen)
    if request.method == "POST" and form.is_valid():
        is_new = edited.pk is None
        saved = form.save()
        record_saved(request.user, saved, form, is_new=is_new)
        if not is_new and saved.base_url != before:
            model_rows.forget_probes(saved, signed_in_user(request))
        return redirect(saved)
    context = {
        "form": form,
        "service": chosen,
        "provider": Provider.objects.filter(pk=edited.pk).first(),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "providers/form.html", context, status=status)


def _shown(shown: Provider) -> dict[str, Any]:
    models = list(shown.language_models.in_order())
    return {
        "provider": shown,
        "service": service(shown.service),
        "models": models,
        "conversations": model_rows.conversations_of(models),
        "follows": FOLLOWS.get(shown.name, ""),
        "file": CassetteFile.objects.defer("compressed").filter(provider=shown).first(),
    }


def _listing(shown: Provider) -> dict[str, Any]:
    present = set(shown.language_models.values_list("name", flat=True))
    choices = [(name, choice) for name, choice in CHOICES.items() if shown.kind in choice.kinds]
    return {
        "provider": shown,
        "service": service(shown.service),
        "listed": [(model, model.id in present) for model in listing.stored(shown)],
        "dialects": choices,
    }


def _free_name(chosen: Service) -> str:
    """The service's label, with a number if there is one of that name."""
    label = chosen.label if chosen.slug else ""
    taken = set(Provider.objects.values_list("name", flat=True))
    names = [label, *(f"{label} {number}" for number in range(2, 100))]
    return next((name for name in names if name not in taken), "") if label else ""


def _provider(public_id: UUID) -> Provider:
    return get_object_or_404(Provider, public_id=public_id)

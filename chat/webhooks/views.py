"""The pages of webhooks, under the settings."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from chat.errors import Rejected
from chat.models import Webhook
from chat.webhooks import commands
from chat.webhooks.forms import WebhookForm
from db.users import signed_in_user
from limits.webhooks import MAX_LISTED_DELIVERIES
from tools.rights import signed_in


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def index(request: HttpRequest) -> HttpResponse:
    """The webhooks, and the form of a new one; a POST makes it and shows its secret once."""
    user = signed_in_user(request)
    form = WebhookForm(request.POST or None, instance=Webhook(), user=user)
    if request.method == "POST" and form.is_valid():
        new: Webhook = form.save(commit=False)
        new.owner = None if form.cleaned_data.get("for_everybody") else user
        try:
            return _page(request, commands.make(user, new), secret=new.secret)
        except Rejected as error:
            form.add_error(None, str(error))
    context = {"webhooks": Webhook.objects.for_user(user), "form": form}
    status = 422 if request.method == "POST" else 200
    return render(request, "webhooks/index.html", context, status=status)


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def webhook(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """One webhook with its latest deliveries; a POST changes it."""
    found = _find(request, public_id)
    if request.method != "POST":
        return _page(request, found)
    user = signed_in_user(request)
    form = WebhookForm(request.POST, instance=found, user=user)
    if not form.is_valid():
        return _page(request, _find(request, public_id), form=form)
    commands.change(user, form.save(commit=False), list(form.changed_data))
    messages.success(request, _("Saved."))
    return redirect("webhooks:webhook", public_id)


@signed_in
@require_POST
def rotate(request: HttpRequest, public_id: UUID) -> HttpResponse:
    found = _find(request, public_id)
    return _page(request, found, secret=commands.rotate(signed_in_user(request), found))


@signed_in
@require_POST
def test(request: HttpRequest, public_id: UUID) -> HttpResponse:
    commands.test(_find(request, public_id))
    messages.success(request, _("A test is on its way."))
    return redirect("webhooks:webhook", public_id)


@signed_in
@require_POST
def send_again(request: HttpRequest, public_id: UUID, delivery_id: UUID) -> HttpResponse:
    found = _find(request, public_id)
    commands.send_again(get_object_or_404(found.deliveries, public_id=delivery_id))
    return redirect("webhooks:webhook", public_id)


@signed_in
@require_POST
def delete(request: HttpRequest, public_id: UUID) -> HttpResponse:
    commands.delete(signed_in_user(request), _find(request, public_id))
    messages.success(request, _("The webhook is deleted."))
    return redirect("webhooks:index")


def _find(request: HttpRequest, public_id: UUID) -> Webhook:
    return get_object_or_404(Webhook.objects.for_user(request.user), public_id=public_id)


def _page(
    request: HttpRequest, found: Webhook, *, secret: str = "", form: WebhookForm | None = None
) -> HttpResponse:
    context = {
        "webhook": found,
        "secret": secret,
        "form": form or WebhookForm(instance=found, user=request.user),
        "deliveries": found.deliveries.all()[:MAX_LISTED_DELIVERIES],
    }
    return render(request, "webhooks/webhook.html", context, status=422 if form else 200)

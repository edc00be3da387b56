"""The page of what people have used, and of their limits. A view fetches, calls one function,
renders."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from chat.errors import Rejected
from chat.models import QuotaRule
from chat.permissions import CHANGE_QUOTA
from chat.quota_pages import chart, consumers
from chat.quota_pages.forms import LimitForm, of_rule
from chat.quotas import changes, kinds
from db.users import signed_in_user
from limits.quotas import MAX_USAGE_PEOPLE
from tools.rights import requires


@dataclass(frozen=True)
class ShownRule:
    """A rule as the table has it."""

    rule: QuotaRule

    @property
    def amount(self) -> str:
        amount = self.rule.amount
        return _("no limit") if amount is None else kinds.text(self.rule.kind, amount)


@requires(CHANGE_QUOTA)
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """With `?change=` the form has what that limit is."""
    return _page(request, _form_of(request.GET.get("change", "")))


@requires(CHANGE_QUOTA)
@require_POST
def keep(request: HttpRequest) -> HttpResponse:
    """Makes a limit, or changes the one of the same people and kind."""
    form = LimitForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    wanted = form.cleaned_data
    try:
        rule = changes.set_rule(
            signed_in_user(request),
            wanted["kind"],
            wanted["amount"],
            group=wanted["group"],
            user=wanted["user"],
        )
    except Rejected as error:
        messages.error(request, str(error))
    else:
        text = _("The limit “%(limit)s” of %(whom)s was saved: %(amount)s.")
        what = {"limit": rule.get_kind_display(), "whom": rule.subject}
        messages.success(request, text % {**what, "amount": ShownRule(rule).amount})
    return redirect("usage:index")


@requires(CHANGE_QUOTA)
@require_POST
def remove(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """One that is gone already, with its group or by another admin, is no error."""
    rule = changes.remove_rule(signed_in_user(request), public_id)
    if rule is not None:
        text = _("The limit “%(limit)s” of %(whom)s was removed.")
        what = {"limit": rule.get_kind_display(), "whom": rule.subject}
        messages.success(request, text % what)
    return redirect("usage:index")


def _form_of(changed: str) -> LimitForm:
    try:
        rules = QuotaRule.objects.filter(public_id=UUID(changed))
    except ValueError:
        return LimitForm()
    rule = rules.select_related("user").first()
    return of_rule(rule) if rule is not None else LimitForm()


def _page(request: HttpRequest, form: LimitForm, status: int = 200) -> HttpResponse:
    now = timezone.now()
    people, groups = consumers.people_and_groups(now)
    rules = QuotaRule.objects.select_related("group", "user")
    order = rules.order_by("scope", "group__name", "user__username", "kind")
    context: dict[str, Any] = {
        "form": form,
        "chart": chart.of_last_days(now),
        "people": people,
        "groups": groups,
        "rules": [ShownRule(rule) for rule in order],
        "names": User.objects.filter(is_active=True)
        .order_by("username")
        .values_list("username", flat=True)[:MAX_USAGE_PEOPLE],
    }
    return render(request, "usage/page.html", context, status=status)

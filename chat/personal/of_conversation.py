"""What a person sets for one conversation: its own instructions and parameters; and keeping or
leaving a temporary one."""

from typing import Any
from uuid import UUID

from django import forms
from django.core.validators import MaxValueValidator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from chat.agent import own_settings
from chat.commands import conversations, temporary
from chat.llm.parameters import NAMES
from chat.models import Conversation, LanguageModel
from chat.providers import parameters
from chat.providers.parameters import EFFORTS, ParametersForm
from limits.chat import MAX_OWN_INSTRUCTIONS
from tools.rights import signed_in


class OwnForm(ParametersForm):
    """Instructions, and those of the model's parameters that people may set."""

    field_order = ("instructions",)

    instructions = forms.CharField(
        label=gettext_lazy("Instructions"),
        required=False,
        max_length=MAX_OWN_INSTRUCTIONS,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=gettext_lazy("Sent with each request, after the system prompt."),
    )

    def __init__(self, *args: Any, model: LanguageModel | None, **options: Any) -> None:
        super().__init__(*args, **options)
        names = own_settings.settable(model) if model else []
        for name in {*NAMES, "extra"} - set(names):
            del self.fields[name]
        effort = self.fields.get("reasoning_effort")
        if isinstance(effort, forms.ChoiceField):
            effort.choices = [
                ("", gettext_lazy("As the model has it")),
                *((one, one) for one in EFFORTS),
            ]
        if model is not None:
            self._show_inherited(model)

    def _show_inherited(self, model: LanguageModel) -> None:
        """What counts for a blank field, and how much a conversation may ask for at most."""
        inherited = parameters.to_fields(model.parameters)
        for name in NAMES:
            if name in self.fields and (value := inherited.get(name)) is not None:
                self.fields[name].widget.attrs["placeholder"] = str(value)
        most = own_settings.max_tokens(model)
        if most is not None and "max_tokens" in self.fields:
            field = self.fields["max_tokens"]
            field.validators.append(MaxValueValidator(most))
            field.widget.attrs["max"] = most

    @property
    def of_model(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name != "instructions"]


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def own(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Instructions and parameters of a conversation, as a part of the page; a POST keeps them."""
    conversation = _conversation(request, public_id)
    stored = conversation.parameters if isinstance(conversation.parameters, dict) else {}
    initial = {**parameters.to_fields(stored), "instructions": conversation.instructions}
    form = OwnForm(request.POST or None, model=conversation.model, initial=initial)
    is_saved = request.method == "POST" and form.is_valid()
    if is_saved:
        instructions = form.cleaned_data.pop("instructions")
        chosen = parameters.from_fields(form.cleaned_data)
        conversations.choose_own(conversation, instructions, chosen)
    context = {"conversation": conversation, "form": form, "is_saved": is_saved}
    refused = request.method == "POST" and not is_saved
    return render(request, "settings/_own.html", context, status=422 if refused else 200)


@signed_in
@require_POST
def keep(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Keeps a temporary conversation."""
    kept = _conversation(request, public_id)
    temporary.keep(kept)
    if request.headers.get("X-Requested-With") == "fetch":
        return HttpResponse(status=204)
    return redirect(kept)


@signed_in
@require_POST
def leave(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """A page of a temporary conversation is left."""
    temporary.leave(_conversation(request, public_id))
    return HttpResponse(status=204)


def _conversation(request: HttpRequest, public_id: UUID) -> Conversation:
    rows = Conversation.objects.for_user(request.user)
    return get_object_or_404(rows.select_related("model__provider"), public_id=public_id)

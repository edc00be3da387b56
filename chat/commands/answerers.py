"""Who answers a message: the models and assistants that it names, if its sender may use them."""

import uuid
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from chat.errors import Rejected
from chat.models import LanguageModel, Preset


@dataclass(frozen=True)
class Answerer:
    """A model, and the assistant with which it answers, None for that of the model."""

    model: LanguageModel
    preset: Preset | None

    @property
    def system_prompt(self) -> str:
        """Of a conversation that begins with it."""
        preset = self.preset or self.model.preset
        return preset.system_prompt if preset else ""


def offered_model(model_id: uuid.UUID | None) -> LanguageModel:
    """The model with this public id, None: the default one. Raises `Rejected`."""
    model = (
        LanguageModel.objects.offered_by_id(model_id)
        if model_id
        else LanguageModel.objects.offered().first()
    )
    if model is None:
        raise Rejected(_("This model is no longer available. Choose another one and send again."))
    return model


def usable_preset(user: User, preset_id: uuid.UUID | None) -> Preset | None:
    """The assistant with this public id. Raises `Rejected`."""
    if preset_id is None:
        return None
    preset = Preset.objects.for_user(user).filter(public_id=preset_id).first()
    if preset is None:
        raise Rejected(
            _("This assistant no longer exists. Send again to send the message without it.")
        )
    return preset


def model_of_preset(preset: Preset | None) -> uuid.UUID | None:
    """The public id of the model that the assistant names, if that is offered."""
    if preset is None or preset.model_id is None:
        return None
    offered = LanguageModel.objects.offered().filter(pk=preset.model_id)
    return offered.values_list("public_id", flat=True).first()

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


def offered_model(user: User, model_id: uuid.UUID | None) -> LanguageModel:
    """The model with this public id, None: the first that the user has. Raises `Rejected`."""
    if model_id is None:
        model = LanguageModel.objects.for_user(user).first()
    else:
        model = LanguageModel.objects.offered_by_id(user, model_id)
    if model is None and model_id is None:
        raise Rejected(_("There is no model that you may use. An admin can give you one."))
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


def model_of_preset(user: User, preset: Preset | None) -> uuid.UUID | None:
    """The public id of the model that the assistant names, if it is offered to the user."""
    if preset is None or preset.model_id is None:
        return None
    offered = LanguageModel.objects.for_user(user).filter(pk=preset.model_id)
    return offered.values_list("public_id", flat=True).first()

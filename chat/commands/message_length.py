"""Whether a message has room in the model's context window, before it is stored.

By the estimate of `tools.definitions.token_estimate`, only where the window is known: an assumed or
estimated one refuses nothing. `static/js/chat/composer/message_length.js` says the same in the
composer.
"""

from collections.abc import Sequence

from django.utils.translation import gettext

from chat.errors import Rejected
from chat.models import Attachment, LanguageModel
from tools.definitions.token_estimate import of_text

TOKENS_AN_IMAGE = 1_000
BYTES_A_TOKEN = 3


def refuse_too_long(model: LanguageModel, text: str, attached: Sequence[Attachment]) -> None:
    """Raises `Rejected`, with the estimate of its tokens, for a message that cannot fit."""
    limit = model.longest_message
    if not limit:
        return
    tokens = of_text(text) + sum(map(_tokens, attached))
    if tokens > limit:
        raise Rejected(
            gettext(
                "The message has about %(tokens)s tokens; %(model)s takes %(limit)s. Shorten "
                "it, or choose a model with a larger context window."
            )
            % {"tokens": f"{tokens:,}", "model": model, "limit": f"{limit:,}"}
        )


def _tokens(attachment: Attachment) -> int:
    if attachment.media_type.startswith("image/"):
        return TOKENS_AN_IMAGE
    return attachment.size // BYTES_A_TOKEN

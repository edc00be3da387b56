"""What the section *Data* of the settings shows."""

from typing import Any

from chat.models import Conversation, DataArchive, Import
from chat.transfer.formats import FORMATS
from db.users import AnyUser
from limits.transfer import MAX_IMPORT_BYTES, MAX_KEPT_IMPORTS
from tracing.formatting.figures import size


def section(user: AnyUser) -> dict[str, Any]:
    return {
        "formats": list(FORMATS.values()),
        "conversations": Conversation.objects.kept_for(user).count(),
        "most_bytes": MAX_IMPORT_BYTES,
        "most": size(MAX_IMPORT_BYTES).replace(".0 ", " "),
        "imports": list(Import.objects.for_user(user)[:MAX_KEPT_IMPORTS]),
        "archive": DataArchive.objects.for_user(user).first(),
    }

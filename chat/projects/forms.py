"""What the forms of a project say."""

from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _

from chat.commands.projects import Details
from chat.errors import Rejected
from chat.models import Preset, Project
from db.public_ids import parse_public_id


def read_details(request: HttpRequest, project: Project | None = None) -> Details:
    """Name, colour and assistant of a form. The project's own assistant may stay, although the
    person could not choose it any more. Raises `Rejected`."""
    given = request.POST
    preset = _preset(request, given.get("assistant", ""), project)
    return Details(given.get("name", ""), given.get("colour", ""), preset)


def read_revision(given: QueryDict) -> int:
    """-1 for none, which is nobody's."""
    text = given.get("revision", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1


def _preset(request: HttpRequest, public_id: str, project: Project | None) -> Preset | None:
    if not public_id:
        return None
    own = project.preset if project else None
    if own is not None and str(own.public_id) == public_id:
        return own
    parsed = parse_public_id(public_id)
    offered = Preset.objects.for_user(request.user).filter(public_id=parsed) if parsed else None
    found = offered.first() if offered is not None else None
    if found is None:
        raise Rejected(_("This assistant is no longer available. Choose another one."))
    return found

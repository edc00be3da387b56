from django.http import Http404, StreamingHttpResponse

from chat.files import downloads
from chat.models import DataArchive
from chat.own_data import archives


def archive_response(row: DataArchive) -> StreamingHttpResponse:
    """The zip of an archive, until it expires; 404 for one that is not there."""
    if not row.is_ready:
        raise Http404
    try:
        file = archives.path_of(row.public_id).open("rb")
    except FileNotFoundError as error:
        raise Http404 from error
    name = f"roundtrip-{row.created:%Y-%m-%d}.zip"
    response = StreamingHttpResponse(
        downloads.streamed(downloads.pieces(file, row.size)), content_type="application/zip"
    )
    response["Content-Length"] = str(row.size)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response

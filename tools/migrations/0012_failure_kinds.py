"""The kind of a server's failure, beside the sentence; of stored sentences it is read once here."""

import re
from typing import Any

from django.db import migrations, models

# As the program worded its reasons when it decided by them; the first that fits counts.
KINDS = (
    (r"HTTP 3\d\d\b.* points to", "redirect"),
    (r"HTTP \d{3}\b", "http_status"),
    (r"text/html", "web_page"),
    (r"not an event stream", "not_event_stream"),
    (r"writes to stdout what", "stdout_not_mcp"),
    (r"202 Accepted", "no_answer"),
    (r"is not MCP|not a JSON-RPC message", "not_mcp"),
    (r"nothing listens", "connection_refused"),
    (r"host .* (?:was not found|has no address)", "host_not_found"),
    (r"host did not answer", "connect_timeout"),
    (r"did not answer in time", "timeout"),
    (r"no way to its", "no_route"),
    (r"certificate that is not trusted", "untrusted_certificate"),
    (r"does not speak TLS", "no_tls"),
    (r"broke off|without an answer", "connection_broken"),
    (r"in a private network|is not allowed for this server", "address_not_allowed"),
    (r"header .* cannot carry", "bad_header"),
    (r"command '.*' was not found", "command_not_found"),
    (r"is not executable", "command_not_executable"),
    (r"command '.*' is a folder", "command_is_folder"),
    (r"working directory .* does not exist", "no_working_directory"),
)
ENDED = re.compile(r"exited with code (\d+)|was killed by ")
STATUS = re.compile(r"HTTP (\d{3})\b")
OF_SERVER = re.compile(r"No connection to the server \S+: |The server \S+ answered ")


def kind_and_status(reason: str) -> tuple[str, int | None]:
    if ended := ENDED.match(reason):
        return ("exited", int(ended[1])) if ended[1] else ("killed", None)
    status = STATUS.search(reason)
    kind = next((kind for text, kind in KINDS if re.search(text, reason)), "")
    return kind, int(status[1]) if status else None


def read_kinds(apps: Any, schema_editor: Any) -> None:
    database = schema_editor.connection.alias
    Server, Trial = apps.get_model("tools", "Server"), apps.get_model("tools", "Trial")
    servers, trials = Server.objects.using(database), Trial.objects.using(database)
    for pk, error in servers.exclude(last_error="").values_list("pk", "last_error"):
        kind, status = kind_and_status(error)
        servers.filter(pk=pk).update(last_error_kind=kind, last_error_status=status)
    for pk, error in trials.filter(kind="call").exclude(error="").values_list("pk", "error"):
        if of_server := OF_SERVER.match(error):
            kind, status = kind_and_status(error[of_server.end() :])
            trials.filter(pk=pk).update(error_kind=kind, error_status=status)


class Migration(migrations.Migration):
    dependencies = [
        ("tools", "0011_jobs"),
    ]

    operations = [
        migrations.AddField(
            model_name="server",
            name="last_error_kind",
            field=models.CharField(blank=True, default="", max_length=32),
        ),
        migrations.AddField(
            model_name="server",
            name="last_error_status",
            field=models.IntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="trial",
            name="error_kind",
            field=models.CharField(blank=True, default="", max_length=32),
        ),
        migrations.AddField(
            model_name="trial",
            name="error_status",
            field=models.IntegerField(blank=True, null=True),
        ),
        migrations.RunPython(read_kinds, migrations.RunPython.noop),
    ]

import uuid

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import db.fields
import tools.encryption


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("tools", "0002_policies_and_people"),
        ("tools", "0003_trials"),
        ("tools", "0004_names_resources_and_readings"),
        ("tools", "0005_local_tool"),
        ("tools", "0006_server_marks"),
        ("tools", "0007_lists_and_checks"),
        ("tools", "0008_offered_schemas"),
        ("tools", "0009_server_headers_url"),
        ("tools", "0010_permissions_of_staff"),
        ("tools", "0011_jobs"),
        ("tools", "0012_failure_kinds"),
        ("tools", "0013_groups_of_servers"),
    ]

    dependencies = [
        ("tracing", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Server",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "name",
                    models.CharField(
                        max_length=40,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z0-9]+(?:[-_][a-z0-9]+)*\\Z",
                                "Use lower-case letters, digits, and single - or _ between.",
                            )
                        ],
                    ),
                ),
                (
                    "transport",
                    models.CharField(
                        choices=[
                            ("stdio", "stdio (a program on this machine)"),
                            ("http", "Streamable HTTP"),
                            ("sse", "SSE (servers of 2024)"),
                        ],
                        default="stdio",
                        max_length=8,
                    ),
                ),
                ("command", models.CharField(blank=True, default="", max_length=500)),
                ("args", db.fields.JSONTextField(blank=True, default=list)),
                ("env", tools.encryption.EncryptedJSONField(blank=True, default=dict)),
                ("cwd", models.CharField(blank=True, default="", max_length=500)),
                ("url", models.CharField(blank=True, default="", max_length=2000)),
                ("headers", tools.encryption.EncryptedJSONField(blank=True, default=dict)),
                ("enabled", models.BooleanField(default=True)),
                (
                    "timeout_s",
                    models.PositiveIntegerField(
                        default=60,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(3600),
                        ],
                    ),
                ),
                (
                    "mode",
                    models.CharField(
                        choices=[("auto", "Automatic"), ("legacy", "Legacy handshake")],
                        default="auto",
                        max_length=8,
                    ),
                ),
                ("idempotent_tools", db.fields.JSONTextField(blank=True, default=list)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("era", models.CharField(blank=True, default="", max_length=8)),
                ("server_name", models.CharField(blank=True, default="", max_length=200)),
                ("server_version", models.CharField(blank=True, default="", max_length=200)),
                ("protocol", models.CharField(blank=True, default="", max_length=20)),
                ("instructions", models.TextField(blank=True, default="")),
                ("tools_listed", models.DateTimeField(blank=True, null=True)),
                (
                    "check_state",
                    models.CharField(
                        choices=[
                            ("idle", "Idle"),
                            ("asked", "Asked"),
                            ("running", "Running"),
                            ("succeeded", "Succeeded"),
                            ("failed", "Failed"),
                        ],
                        default="idle",
                        max_length=16,
                    ),
                ),
                ("check_changed", models.DateTimeField(blank=True, null=True)),
                ("last_contact", models.DateTimeField(blank=True, null=True)),
                ("last_error", models.TextField(blank=True, default="")),
                ("last_stderr", models.TextField(blank=True, default="")),
                ("latency_ms", models.PositiveIntegerField(blank=True, null=True)),
                ("allow_private", models.BooleanField(default=False)),
                ("oauth_client_id", models.CharField(blank=True, default="", max_length=500)),
                (
                    "oauth_client_secret",
                    tools.encryption.EncryptedTextField(blank=True, default=""),
                ),
                ("oauth_scope", models.CharField(blank=True, default="", max_length=1000)),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="servers",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("policies", db.fields.JSONTextField(blank=True, default=list)),
                (
                    "policy",
                    models.CharField(
                        choices=[("allow", "Run it"), ("ask", "Ask first"), ("deny", "Refuse it")],
                        default="ask",
                        max_length=8,
                    ),
                ),
                (
                    "shared",
                    models.CharField(
                        choices=[
                            ("everyone", "Everyone"),
                            ("staff", "Admins"),
                            ("chosen", "Chosen people and groups"),
                        ],
                        default="everyone",
                        max_length=8,
                    ),
                ),
                (
                    "shared_with",
                    models.ManyToManyField(
                        blank=True, related_name="shared_servers", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("uses_oauth", models.BooleanField(default=False)),
                ("prompts", db.fields.JSONTextField(blank=True, default=list)),
                ("resources", db.fields.JSONTextField(blank=True, default=list)),
                ("marks", db.fields.JSONTextField(blank=True, default=dict)),
                (
                    "check_user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("former_tools", db.fields.JSONTextField(blank=True, default=dict)),
                ("list_notes", db.fields.JSONTextField(blank=True, default=list)),
                (
                    "headers_url",
                    models.CharField(blank=True, default="", editable=False, max_length=2000),
                ),
                ("check_epoch", models.PositiveIntegerField(default=0, editable=False)),
                ("last_error_kind", models.CharField(blank=True, default="", max_length=32)),
                ("last_error_status", models.IntegerField(blank=True, null=True)),
                (
                    "groups",
                    models.ManyToManyField(blank=True, related_name="servers", to="auth.group"),
                ),
            ],
            options={
                "ordering": ("name",),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("mode__in", ["auto", "legacy"])),
                        name="server_mode_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("era__in", ["", "legacy", "modern"])),
                        name="server_era_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("transport", "stdio"),
                                ("url", ""),
                                models.Q(("command", ""), _negated=True),
                            ),
                            models.Q(
                                ("command", ""),
                                ("transport__in", ["http", "sse"]),
                                models.Q(("url", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="server_has_its_address",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("owner", None),
                            models.Q(("transport", "stdio"), _negated=True),
                            _connector="OR",
                        ),
                        name="server_of_a_user_has_a_url",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("shared__in", ["everyone", "staff", "chosen"])),
                        name="server_shared_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("policy__in", ["allow", "ask", "deny"])),
                        name="server_policy_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("check_state__in", ["idle", "asked", "running", "succeeded", "failed"])
                        ),
                        name="server_check_state_known",
                    ),
                ],
                "permissions": (
                    ("add_program", "Can add programs (stdio servers): as much as a shell"),
                ),
            },
        ),
        migrations.CreateModel(
            name="ServerTool",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("position", models.PositiveIntegerField()),
                ("title", models.CharField(blank=True, default="", max_length=200)),
                ("description", models.TextField(blank=True, default="")),
                ("input_schema", db.fields.JSONTextField()),
                ("output_schema", db.fields.JSONTextField(blank=True, null=True)),
                ("annotations", db.fields.JSONTextField(blank=True, null=True)),
                ("hash", models.CharField(max_length=64)),
                ("enabled", models.BooleanField(default=True)),
                (
                    "server",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tools",
                        to="tools.server",
                    ),
                ),
                ("approved", db.fields.JSONTextField(blank=True, null=True)),
                ("approved_hash", models.CharField(blank=True, default="", max_length=64)),
                (
                    "policy",
                    models.CharField(
                        blank=True,
                        choices=[("allow", "Run it"), ("ask", "Ask first"), ("deny", "Refuse it")],
                        default="",
                        max_length=8,
                    ),
                ),
                ("offered_name", models.CharField(blank=True, max_length=64, unique=True)),
                ("defects", db.fields.JSONTextField(blank=True, default=list)),
                ("offered_schema", db.fields.JSONTextField(blank=True, null=True)),
            ],
            options={
                "ordering": ("server", "position"),
                "indexes": [models.Index(fields=["server", "position"], name="tool_in_order")],
                "constraints": [
                    models.UniqueConstraint(fields=("server", "name"), name="tool_once_a_server"),
                    models.CheckConstraint(
                        condition=models.Q(("policy__in", ["", "allow", "ask", "deny"])),
                        name="tool_policy_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Account",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("tokens", tools.encryption.EncryptedJSONField(default=dict)),
                ("client", tools.encryption.EncryptedJSONField(default=dict)),
                ("expires", models.DateTimeField(blank=True, null=True)),
                ("connected", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "server",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="accounts",
                        to="tools.server",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="server_accounts",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("server", "user"), name="account_once_a_server")
                ],
            },
        ),
        migrations.CreateModel(
            name="ServerContact",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "purpose",
                    models.CharField(
                        choices=[("check", "Check"), ("call", "Call")],
                        default="check",
                        max_length=8,
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("succeeded", models.BooleanField()),
                ("latency_ms", models.PositiveIntegerField(blank=True, null=True)),
                ("error", db.fields.SentenceField(blank=True, default="")),
                (
                    "server",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="contacts",
                        to="tools.server",
                    ),
                ),
            ],
            options={
                "ordering": ("-at", "-id"),
                "indexes": [models.Index(fields=["server", "-at"], name="contact_newest")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("purpose__in", ["check", "call"])),
                        name="contact_purpose_known",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SignIn",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("state_token", models.CharField(blank=True, default="", max_length=200)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("asked", "Asked"),
                            ("running", "Running"),
                            ("succeeded", "Succeeded"),
                            ("failed", "Failed"),
                            ("stopped", "Stopped"),
                        ],
                        default="asked",
                        max_length=16,
                    ),
                ),
                ("authorization_url", models.TextField(blank=True, default="")),
                ("returned", tools.encryption.EncryptedJSONField(default=dict)),
                ("error", db.fields.SentenceField(blank=True, default="")),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "server",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sign_ins",
                        to="tools.server",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="server_sign_ins",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("came_back", models.DateTimeField(blank=True, null=True)),
                ("changed", models.DateTimeField(default=django.utils.timezone.now)),
                ("epoch", models.PositiveIntegerField(default=0, editable=False)),
            ],
            options={
                "indexes": [models.Index(fields=["state_token"], name="sign_in_by_state")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["asked", "running", "succeeded", "failed", "stopped"])
                        ),
                        name="signin_state_known",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Trial",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[("connection", "Connection"), ("call", "Call")],
                        default="connection",
                        max_length=12,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("asked", "Asked"),
                            ("running", "Running"),
                            ("succeeded", "Succeeded"),
                            ("failed", "Failed"),
                            ("stopped", "Stopped"),
                        ],
                        default="asked",
                        max_length=16,
                    ),
                ),
                ("config", tools.encryption.EncryptedJSONField(blank=True, default=dict)),
                ("tool", models.CharField(blank=True, default="", max_length=200)),
                ("arguments", models.TextField(blank=True, default="")),
                ("log", db.fields.JSONTextField(blank=True, default=list)),
                ("found", db.fields.JSONTextField(blank=True, null=True)),
                ("error", db.fields.SentenceField(blank=True, default="")),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "server",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="trials",
                        to="tools.server",
                    ),
                ),
                (
                    "trace",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="tracing.trace",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="trials",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("changed", models.DateTimeField(default=django.utils.timezone.now)),
                ("epoch", models.PositiveIntegerField(default=0, editable=False)),
                ("error_kind", models.CharField(blank=True, default="", max_length=32)),
                ("error_status", models.IntegerField(blank=True, null=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["server", "-id"], name="trial_newest"),
                    models.Index(fields=["user", "-id"], name="trial_of_user"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["connection", "call"])),
                        name="trial_kind_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["asked", "running", "succeeded", "failed", "stopped"])
                        ),
                        name="trial_state_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Reading",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[("resource", "Resource"), ("prompt", "Prompt")], max_length=8
                    ),
                ),
                ("wanted", db.fields.JSONTextField(default=dict)),
                ("workspace", models.CharField(blank=True, default="", max_length=1000)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("asked", "Asked"),
                            ("running", "Running"),
                            ("succeeded", "Succeeded"),
                            ("failed", "Failed"),
                            ("stopped", "Stopped"),
                        ],
                        default="asked",
                        max_length=16,
                    ),
                ),
                ("found", db.fields.JSONTextField(blank=True, null=True)),
                ("error", db.fields.SentenceField(blank=True, default="")),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "server",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="readings",
                        to="tools.server",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="readings",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("changed", models.DateTimeField(default=django.utils.timezone.now)),
                ("epoch", models.PositiveIntegerField(default=0, editable=False)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["resource", "prompt"])),
                        name="reading_kind_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["asked", "running", "succeeded", "failed", "stopped"])
                        ),
                        name="reading_state_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="LocalTool",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=64, unique=True)),
                ("enabled", models.BooleanField()),
                (
                    "policy",
                    models.CharField(
                        choices=[("allow", "Run it"), ("ask", "Ask first"), ("deny", "Refuse it")],
                        max_length=8,
                    ),
                ),
            ],
            options={
                "ordering": ("name",),
            },
        ),
    ]

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
        ("chat", "0002_dialects_and_attachments"),
        ("chat", "0003_model_order"),
        ("chat", "0004_tools_of_a_conversation"),
        ("chat", "0005_playground_and_forks"),
        ("chat", "0006_cassette_file"),
        ("chat", "0007_playground_run_open"),
        ("chat", "0008_agent"),
        ("chat", "0009_presets_published"),
        ("chat", "0010_turn_ceiling"),
        ("chat", "0011_windows_and_retries"),
        ("chat", "0012_permissions_of_staff"),
        ("chat", "0013_workspace_bytes"),
        ("chat", "0014_who_uploaded"),
        ("chat", "0015_jobs"),
        ("chat", "0016_personal_settings"),
        ("chat", "0017_titles_temporary_and_own_settings"),
        ("chat", "0018_branches"),
        ("chat", "0019_fill_branches"),
        ("chat", "0021_queue_and_deletion"),
        ("chat", "0022_imports_feedback_and_own_data"),
        ("chat", "0023_drafts_and_prompts"),
        ("chat", "0024_language"),
        ("chat", "0025_projects"),
        ("chat", "0026_shared_links"),
        ("chat", "0027_first_steps"),
        ("chat", "0028_comparisons"),
        ("chat", "0029_shared_with_groups"),
        ("chat", "0030_links_with_subagents"),
        ("chat", "0032_groups_of_rows"),
        ("chat", "0033_quota_rules"),
        ("chat", "0034_webhooks"),
        ("chat", "0035_price_source"),
        ("chat", "0036_conversations_of_programs"),
        ("chat", "0037_name_of_webhook_deliveries"),
        ("chat", "0038_shared_objects_of_providers"),
        ("chat", "0039_account_deletion_steps"),
    ]

    dependencies = [
        ("tracing", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Preset",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=80)),
                ("system_prompt", models.TextField(blank=True, default="")),
                ("tools", db.fields.JSONTextField(blank=True, default=None, null=True)),
                ("starters", db.fields.JSONTextField(blank=True, default=list)),
                ("policies", db.fields.JSONTextField(blank=True, default=list)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("description", models.CharField(blank=True, default="", max_length=300)),
                ("limits", db.fields.JSONTextField(blank=True, default=dict)),
                (
                    "groups",
                    models.ManyToManyField(blank=True, related_name="presets", to="auth.group"),
                ),
            ],
            options={
                "ordering": ("name",),
            },
        ),
        migrations.CreateModel(
            name="Provider",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("name", models.CharField(max_length=80, unique=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("openai", "OpenAI-compatible"),
                            ("anthropic", "Anthropic Messages API"),
                            ("cassette", "Built-in cassette"),
                        ],
                        default="openai",
                        max_length=16,
                    ),
                ),
                (
                    "base_url",
                    models.CharField(
                        blank=True,
                        default="",
                        max_length=500,
                        validators=[django.core.validators.RegexValidator("^https?://\\S+$")],
                    ),
                ),
                ("api_key", tools.encryption.EncryptedTextField(blank=True, default="")),
                ("enabled", models.BooleanField(default=True)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("listed", db.fields.JSONTextField(blank=True, default=list)),
                ("listed_at", models.DateTimeField(blank=True, null=True)),
                ("service", models.CharField(blank=True, default="", max_length=32)),
                ("shares_objects", models.BooleanField(default=False)),
            ],
            options={
                "ordering": ("name",),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["openai", "anthropic", "cassette"])),
                        name="provider_kind_known",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="LanguageModel",
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
                    models.CharField(help_text="The id that the provider knows.", max_length=200),
                ),
                ("label", models.CharField(blank=True, default="", max_length=80)),
                (
                    "dialect",
                    models.CharField(
                        choices=[
                            ("auto", "Auto"),
                            ("native", "Native"),
                            ("nous", "Nous"),
                            ("functions", "Functions"),
                            ("anthropic", "Anthropic"),
                        ],
                        default="native",
                        max_length=16,
                    ),
                ),
                ("parameters", db.fields.JSONTextField(blank=True, default=dict)),
                ("enabled", models.BooleanField(default=True)),
                ("is_default", models.BooleanField(default=False)),
                (
                    "preset",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="chat.preset",
                    ),
                ),
                (
                    "provider",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="language_models",
                        to="chat.provider",
                    ),
                ),
                ("chat_template", models.TextField(blank=True, default="")),
                ("check_changed", models.DateTimeField(blank=True, null=True)),
                ("check_error", models.TextField(blank=True, default="")),
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
                (
                    "check_trace",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="tracing.trace",
                    ),
                ),
                (
                    "context_window",
                    models.PositiveIntegerField(blank=True, help_text="Tokens.", null=True),
                ),
                (
                    "price_cached",
                    models.DecimalField(blank=True, decimal_places=6, max_digits=12, null=True),
                ),
                (
                    "price_in",
                    models.DecimalField(blank=True, decimal_places=6, max_digits=12, null=True),
                ),
                (
                    "price_out",
                    models.DecimalField(blank=True, decimal_places=6, max_digits=12, null=True),
                ),
                ("probed", db.fields.JSONTextField(blank=True, default=dict)),
                (
                    "returns_reasoning",
                    models.CharField(
                        choices=[
                            ("never", "Never"),
                            ("tool_rounds", "Tool Rounds"),
                            ("always", "Always"),
                        ],
                        default="never",
                        max_length=16,
                    ),
                ),
                ("takes_images", models.BooleanField(default=False)),
                ("takes_tools", models.BooleanField(default=True)),
                ("position", models.PositiveIntegerField(default=0)),
                ("refused_at", models.DateTimeField(blank=True, null=True)),
                ("refused_is_estimate", models.BooleanField(default=False)),
                ("refused_window", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "window_source",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "set by an admin"),
                            ("listing", "as the endpoint lists it"),
                            ("server", "as the server runs it"),
                        ],
                        default="",
                        max_length=8,
                    ),
                ),
                ("check_epoch", models.PositiveIntegerField(default=0, editable=False)),
                ("open_parameters", db.fields.JSONTextField(blank=True, default=None, null=True)),
                ("is_for_titles", models.BooleanField(default=False)),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True, related_name="language_models", to="auth.group"
                    ),
                ),
                (
                    "price_source",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "set by an admin"),
                            ("listing", "as the endpoint lists it"),
                            ("library", "from the price list of genai-prices"),
                        ],
                        default="",
                        max_length=8,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("provider", "name"), name="model_once_a_provider"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("is_default", True)),
                        fields=("is_default",),
                        name="model_one_default",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("dialect__in", ["auto", "native", "nous", "functions", "anthropic"])
                        ),
                        name="model_dialect_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("returns_reasoning__in", ["never", "tool_rounds", "always"])
                        ),
                        name="model_returns_reasoning_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("window_source__in", ["", "listing", "server"])),
                        name="model_window_source_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("check_state__in", ["idle", "asked", "running", "succeeded", "failed"])
                        ),
                        name="languagemodel_check_state_known",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("is_for_titles", True)),
                        fields=("is_for_titles",),
                        name="model_one_for_titles",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("price_source__in", ["", "listing", "library"])),
                        name="model_price_source_known",
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="preset",
            name="model",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="chat.languagemodel",
            ),
        ),
        migrations.AddField(
            model_name="preset",
            name="owner",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="presets",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="preset",
            name="public_id",
            field=models.UUIDField(default=uuid.uuid4, editable=False, unique=True),
        ),
        migrations.AddField(
            model_name="preset",
            name="published",
            field=models.BooleanField(default=True),
        ),
        migrations.AddField(
            model_name="preset",
            name="servers",
            field=db.fields.JSONTextField(blank=True, default=None, null=True),
        ),
        migrations.AddField(
            model_name="preset",
            name="skills",
            field=db.fields.JSONTextField(blank=True, default=None, null=True),
        ),
        migrations.AddConstraint(
            model_name="preset",
            constraint=models.UniqueConstraint(
                condition=models.Q(("owner", None)), fields=("name",), name="preset_once_published"
            ),
        ),
        migrations.AddConstraint(
            model_name="preset",
            constraint=models.UniqueConstraint(
                fields=("owner", "name"), name="preset_once_an_owner"
            ),
        ),
        # Which makes it the last column on SQLite.
        migrations.AlterField(
            model_name="preset",
            name="published",
            field=models.BooleanField(default=False),
        ),
        migrations.CreateModel(
            name="Question",
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
                    models.CharField(choices=[("form", "Form"), ("url", "Url")], max_length=8),
                ),
                ("key", models.CharField(blank=True, default="", max_length=200)),
                ("message", db.fields.SentenceField(blank=True, default="")),
                ("schema", db.fields.JSONTextField(blank=True, null=True)),
                ("url", models.TextField(blank=True, default="")),
                ("request_state", models.TextField(blank=True, default="")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("answered", "Answered"),
                            ("declined", "Declined"),
                            ("cancelled", "Cancelled"),
                            ("expired", "Expired"),
                        ],
                        default="open",
                        max_length=12,
                    ),
                ),
                ("answer", db.fields.JSONTextField(blank=True, null=True)),
                ("asked", models.DateTimeField(default=django.utils.timezone.now)),
                ("expires", models.DateTimeField(blank=True, null=True)),
                ("settled", models.DateTimeField(blank=True, null=True)),
                (
                    "span",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="questions",
                        to="tracing.span",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["form", "url"])),
                        name="question_kind_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["open", "answered", "declined", "cancelled", "expired"])
                        ),
                        name="question_state_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Playground",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("title", db.fields.LabelField(blank=True, default="", max_length=200)),
                ("draft", db.fields.JSONTextField(blank=True, default=str)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("updated", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "archive",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="playground",
                        to="tracing.archive",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="playgrounds",
                        to="tracing.span",
                    ),
                ),
            ],
            options={
                "ordering": ("-updated", "-id"),
            },
        ),
        migrations.CreateModel(
            name="PlaygroundRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("draft", db.fields.JSONTextField(blank=True, default=str)),
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
                ("stop_requested", models.BooleanField(default=False)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("changed", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "model",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="chat.languagemodel",
                    ),
                ),
                (
                    "playground",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="runs",
                        to="chat.playground",
                    ),
                ),
                (
                    "trace",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="playground_run",
                        to="tracing.trace",
                    ),
                ),
                ("epoch", models.PositiveIntegerField(default=0, editable=False)),
                ("error", db.fields.SentenceField(blank=True, default="")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("playground", "number"), name="playground_run_number_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["asked", "running", "succeeded", "failed", "stopped"])
                        ),
                        name="playgroundrun_state_known",
                    ),
                ],
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ["asked", "running"])),
                        fields=["id"],
                        name="playground_run_open",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="CassetteFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("compressed", models.BinaryField()),
                ("size", models.PositiveIntegerField(help_text="Bytes, not compressed.")),
                (
                    "answers",
                    models.PositiveIntegerField(help_text="How many recorded answers it has."),
                ),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "provider",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="cassette_file",
                        to="chat.provider",
                    ),
                ),
                (
                    "uploader",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Skill",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("name", models.CharField(max_length=64, unique=True)),
                ("description", models.TextField(blank=True, default="")),
                ("source", models.TextField()),
                ("uploaded", models.BooleanField(default=False)),
                ("problem", models.TextField(blank=True, default="")),
                ("enabled", models.BooleanField(default=True)),
                ("found", models.DateTimeField(default=django.utils.timezone.now)),
                ("size", models.PositiveBigIntegerField(default=0, editable=False)),
                (
                    "uploader",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "groups",
                    models.ManyToManyField(blank=True, related_name="skills", to="auth.group"),
                ),
            ],
            options={
                "ordering": ("name",),
            },
        ),
        migrations.CreateModel(
            name="Shipped",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=64, unique=True)),
                ("given", models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            name="PersonalSettings",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="personal",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "theme",
                    models.CharField(
                        blank=True,
                        choices=[("system", "System"), ("light", "Light"), ("dark", "Dark")],
                        default="",
                        max_length=8,
                    ),
                ),
                (
                    "density",
                    models.CharField(
                        choices=[("comfortable", "Comfortable"), ("compact", "Compact")],
                        default="comfortable",
                        max_length=12,
                    ),
                ),
                (
                    "sending_key",
                    models.CharField(
                        choices=[("enter", "Enter"), ("ctrl_enter", "Ctrl+Enter")],
                        default="enter",
                        max_length=12,
                    ),
                ),
                ("time_zone", models.CharField(blank=True, default="", max_length=64)),
                ("notifications", models.BooleanField(default=False)),
                ("instructions", db.fields.SentenceField(blank=True, default="")),
                ("has_titles", models.BooleanField(default=True)),
                ("has_memory", models.BooleanField(default=False)),
                (
                    "preset",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="chat.preset",
                    ),
                ),
                ("language", models.CharField(blank=True, default="", max_length=8)),
                ("has_begun", models.BooleanField(default=False)),
                ("searches_all_files", models.BooleanField(default=False)),
            ],
            options={
                "verbose_name_plural": "personal settings",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("theme__in", ["", "system", "light", "dark"])),
                        name="personal_theme_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("density__in", ["comfortable", "compact"])),
                        name="personal_density_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("sending_key__in", ["enter", "ctrl_enter"])),
                        name="personal_sending_key_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("language__in", ["", "en", "zh-hans"])),
                        name="personal_language_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Tag",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", db.fields.LabelField(max_length=40)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="conversation_tags",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("owner", "name"), name="tag_once_a_user")
                ],
            },
        ),
        migrations.CreateModel(
            name="UnindexedText",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.BigIntegerField()),
            ],
            options={
                "indexes": [models.Index(fields=["key"], name="unindexed_text_key")],
            },
        ),
        migrations.CreateModel(
            name="Import",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
                ("epoch", models.PositiveIntegerField(default=0, editable=False)),
                ("error", db.fields.SentenceField(blank=True, default="")),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("changed", models.DateTimeField(default=django.utils.timezone.now)),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("name", db.fields.LabelField(blank=True, default="", max_length=200)),
                ("size", models.PositiveBigIntegerField(help_text="Bytes of the file.")),
                (
                    "step",
                    models.CharField(
                        choices=[("preview", "Preview"), ("import", "Import")],
                        default="preview",
                        max_length=8,
                    ),
                ),
                ("found", db.fields.JSONTextField(blank=True, default=dict)),
                ("bytes_read", models.PositiveBigIntegerField(default=0)),
                ("skips_broken", models.BooleanField(default=False)),
                ("stop_requested", models.BooleanField(default=False)),
                ("imported", models.PositiveIntegerField(default=0)),
                ("repeated", models.PositiveIntegerField(default=0)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="imports",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-id",),
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ["asked", "running"])),
                        fields=["id"],
                        name="import_open",
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["asked", "running", "succeeded", "failed", "stopped"])
                        ),
                        name="import_state_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("step__in", ["preview", "import"])),
                        name="import_step_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AccountDeletion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
                ("epoch", models.PositiveIntegerField(default=0, editable=False)),
                ("error", db.fields.SentenceField(blank=True, default="")),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("changed", models.DateTimeField(default=django.utils.timezone.now)),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("counts", db.fields.JSONTextField(blank=True, default=dict)),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("steps", db.fields.JSONTextField(blank=True, default=dict)),
            ],
            options={
                "ordering": ("-id",),
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ["asked", "running"])),
                        fields=["id"],
                        name="account_deletion_open",
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["asked", "running", "succeeded", "failed", "stopped"])
                        ),
                        name="accountdeletion_state_known",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="DataArchive",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
                ("epoch", models.PositiveIntegerField(default=0, editable=False)),
                ("error", db.fields.SentenceField(blank=True, default="")),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("changed", models.DateTimeField(default=django.utils.timezone.now)),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("size", models.PositiveBigIntegerField(default=0)),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("expires", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="data_archives",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-id",),
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ["asked", "running"])),
                        fields=["id"],
                        name="data_archive_open",
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["asked", "running", "succeeded", "failed", "stopped"])
                        ),
                        name="dataarchive_state_known",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="PromptTemplate",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("name", models.CharField(max_length=80)),
                ("description", models.CharField(blank=True, default="", max_length=300)),
                ("text", db.fields.SentenceField()),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="prompt_templates",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("name",),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("owner", None)),
                        fields=("name",),
                        name="prompt_template_once_shared",
                    ),
                    models.UniqueConstraint(
                        fields=("owner", "name"), name="prompt_template_once_an_owner"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Project",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("name", db.fields.LabelField(max_length=80)),
                (
                    "colour",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "No colour"),
                            ("red", "Red"),
                            ("orange", "Orange"),
                            ("green", "Green"),
                            ("teal", "Teal"),
                            ("blue", "Blue"),
                            ("violet", "Violet"),
                            ("pink", "Pink"),
                        ],
                        default="",
                        max_length=8,
                    ),
                ),
                ("instructions", db.fields.SentenceField(blank=True, default="")),
                ("revision", models.PositiveIntegerField(default=0, editable=False)),
                ("files_revision", models.PositiveIntegerField(default=0, editable=False)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("archived", models.DateTimeField(blank=True, null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="projects",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "preset",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="projects",
                        to="chat.preset",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["owner", "name"], name="project_by_name")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "colour__in",
                                ["", "red", "orange", "green", "teal", "blue", "violet", "pink"],
                            )
                        ),
                        name="project_colour_known",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Conversation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("title", models.CharField(blank=True, default="", max_length=200)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("updated", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "archive",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="conversation",
                        to="tracing.archive",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="conversations",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "model",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="chat.languagemodel",
                    ),
                ),
                ("granted", db.fields.JSONTextField(blank=True, default=list)),
                ("tools", db.fields.JSONTextField(blank=True, default=None, null=True)),
                (
                    "forked_from",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="forks",
                        to="tracing.trace",
                    ),
                ),
                ("forked_round", models.PositiveIntegerField(blank=True, null=True)),
                ("activated", db.fields.JSONTextField(blank=True, default=list)),
                ("limits", db.fields.JSONTextField(blank=True, default=dict)),
                (
                    "parent_call",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="subagents",
                        to="tracing.span",
                    ),
                ),
                (
                    "preset",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="conversations",
                        to="chat.preset",
                    ),
                ),
                ("skills", db.fields.JSONTextField(blank=True, default=None, null=True)),
                ("todos", db.fields.JSONTextField(blank=True, default=list)),
                ("workspace_bytes", models.PositiveBigIntegerField(default=0, editable=False)),
                (
                    "named_by",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "nobody yet"),
                            ("first_words", "First Words"),
                            ("model", "Model"),
                            ("person", "Person"),
                        ],
                        default="",
                        max_length=12,
                    ),
                ),
                ("is_temporary", models.BooleanField(default=False)),
                ("watched", models.DateTimeField(blank=True, null=True)),
                ("instructions", db.fields.SentenceField(blank=True, default="")),
                ("parameters", db.fields.JSONTextField(blank=True, default=dict)),
                ("is_branched", models.BooleanField(default=False, editable=False)),
                ("pinned", models.DateTimeField(blank=True, null=True)),
                ("archived", models.DateTimeField(blank=True, null=True)),
                (
                    "tags",
                    models.ManyToManyField(blank=True, related_name="conversations", to="chat.tag"),
                ),
                ("deletions", db.fields.JSONTextField(blank=True, default=list)),
                (
                    "project",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="conversations",
                        to="chat.project",
                    ),
                ),
                ("is_shared_to_write", models.BooleanField(default=False, editable=False)),
                ("has_files", models.BooleanField(default=False, editable=False)),
                ("is_of_program", models.BooleanField(default=False, editable=False)),
                ("program", db.fields.JSONTextField(blank=True, default=None, null=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["owner", "-updated"], name="conversation_newest"),
                    models.Index(
                        condition=models.Q(("is_temporary", True)),
                        fields=["watched"],
                        name="conversation_temporary",
                    ),
                    models.Index(
                        condition=models.Q(("pinned__isnull", False)),
                        fields=["owner", "-pinned"],
                        name="conversation_pinned",
                    ),
                    models.Index(
                        condition=models.Q(("project__isnull", False)),
                        fields=["project", "-updated"],
                        name="conversation_of_project",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("named_by__in", ["", "first_words", "model", "person"])
                        ),
                        name="conversation_named_by_known",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Message",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("system", "System"),
                            ("user", "User"),
                            ("assistant", "Assistant"),
                            ("tool", "Tool"),
                        ],
                        max_length=16,
                    ),
                ),
                ("body", db.fields.JSONTextField()),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "conversation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="messages",
                        to="chat.conversation",
                    ),
                ),
                (
                    "parent",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="children",
                        to="chat.message",
                    ),
                ),
                (
                    "span",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="messages",
                        to="tracing.span",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["conversation", "id"], name="message_of_conversation")
                ],
            },
        ),
        migrations.CreateModel(
            name="Turn",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("client_key", models.CharField(max_length=64)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("streaming", "Streaming"),
                            ("waiting", "Waiting"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("stopped", "Stopped"),
                        ],
                        default="queued",
                        max_length=16,
                    ),
                ),
                ("error", models.TextField(blank=True, default="")),
                ("wakeups", models.PositiveIntegerField(default=1)),
                ("seen", models.PositiveIntegerField(default=0)),
                ("owner", models.CharField(blank=True, default="", max_length=64)),
                ("epoch", models.PositiveIntegerField(default=0)),
                ("lease_expires", models.DateTimeField(blank=True, null=True)),
                ("stop_requested", models.DateTimeField(blank=True, null=True)),
                ("rounds", models.PositiveIntegerField(default=0)),
                ("tokens_in", models.PositiveIntegerField(default=0)),
                ("tokens_out", models.PositiveIntegerField(default=0)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("started", models.DateTimeField(blank=True, null=True)),
                ("ended", models.DateTimeField(blank=True, null=True)),
                (
                    "answer",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="answered_turn",
                        to="chat.message",
                    ),
                ),
                (
                    "conversation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="turns",
                        to="chat.conversation",
                    ),
                ),
                (
                    "model",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="chat.languagemodel",
                    ),
                ),
                (
                    "question",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="asked_turn",
                        to="chat.message",
                    ),
                ),
                (
                    "trace",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="turn",
                        to="tracing.trace",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="turns",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("ceiling", models.CharField(blank=True, default="", max_length=32)),
                (
                    "retry_of",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="retried_by",
                        to="chat.turn",
                    ),
                ),
                ("continues", models.BooleanField(default=False)),
                ("hidden", models.DateTimeField(blank=True, null=True)),
                ("is_shown", models.BooleanField(default=True)),
                (
                    "original",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="repeats",
                        to="chat.turn",
                    ),
                ),
                (
                    "parent",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="children",
                        to="chat.turn",
                    ),
                ),
                (
                    "preset",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="chat.preset",
                    ),
                ),
                ("deleted", models.DateTimeField(blank=True, null=True)),
                (
                    "steers",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="notes",
                        to="chat.turn",
                    ),
                ),
                ("comparison", models.UUIDField(blank=True, editable=False, null=True)),
                ("lane", models.PositiveSmallIntegerField(default=0, editable=False)),
                ("is_compared", models.BooleanField(default=False, editable=False)),
                (
                    "author",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="turns_elsewhere",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("is_of_member", models.BooleanField(default=False, editable=False)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("status__in", ["queued", "streaming", "waiting"])),
                        fields=["id"],
                        name="turn_open",
                    ),
                    models.Index(fields=["conversation", "id"], name="turn_of_conversation"),
                    models.Index(
                        condition=models.Q(("is_shown", True)),
                        fields=["conversation", "id"],
                        name="turn_shown",
                    ),
                    models.Index(
                        condition=models.Q(("status", "queued"), ("wakeups", 0)),
                        fields=["conversation", "id"],
                        name="turn_in_line",
                    ),
                    models.Index(
                        condition=models.Q(("deleted__isnull", False)),
                        fields=["deleted"],
                        name="turn_deleted",
                    ),
                    models.Index(
                        condition=models.Q(("comparison__isnull", False)),
                        fields=["comparison"],
                        name="turn_comparison",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "status__in",
                                ["queued", "streaming", "waiting", "done", "failed", "stopped"],
                            )
                        ),
                        name="turn_status_known",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("status__in", ["streaming", "waiting"])),
                        fields=("conversation", "lane"),
                        name="turn_one_runs",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("is_compared", False), ("comparison__isnull", False), _connector="OR"
                        ),
                        name="turn_compared_with_others",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("is_of_member", False)),
                        fields=("user", "client_key"),
                        name="turn_once_a_key",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("author__isnull", False)),
                        fields=("author", "client_key"),
                        name="turn_once_a_key_of_author",
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="message",
            name="turn",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="messages",
                to="chat.turn",
            ),
        ),
        # SQLite writes these tables anew, with the references to themselves as the last columns: the
        # order that databases have.
        migrations.AddConstraint(
            model_name="message",
            constraint=models.CheckConstraint(
                condition=models.Q(("role__in", ["system", "user", "assistant", "tool"])),
                name="message_role_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="turn",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("parent", None), ("parent__lt", models.F("id")), _connector="OR"
                ),
                name="turn_after_its_parent",
            ),
        ),
        migrations.CreateModel(
            name="Attachment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("name", db.fields.LabelField(max_length=200)),
                ("media_type", models.CharField(max_length=100)),
                ("size", models.PositiveIntegerField(help_text="Bytes.")),
                ("content", models.BinaryField()),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "message",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attachments",
                        to="chat.message",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attachments",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("message", None)),
                        fields=["created"],
                        name="attachment_unsent",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Compaction",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("micro", "Micro"), ("summary", "Summary")], max_length=8
                    ),
                ),
                ("summary", db.fields.SentenceField(blank=True, default="")),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "conversation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="compactions",
                        to="chat.conversation",
                    ),
                ),
                (
                    "span",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="compactions",
                        to="tracing.span",
                    ),
                ),
                (
                    "upto",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="chat.message",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["conversation", "kind", "-id"], name="compaction_latest")
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["micro", "summary"])),
                        name="compaction_kind_known",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Fact",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("number", models.PositiveIntegerField()),
                ("text", db.fields.LabelField(max_length=300)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "conversation",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="chat.conversation",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="facts",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("owner", "number"), name="fact_once_a_number")
                ],
            },
        ),
        migrations.CreateModel(
            name="Origin",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("product", models.CharField(max_length=16)),
                ("key", models.CharField(max_length=200)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "conversation",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="origin",
                        to="chat.conversation",
                    ),
                ),
                (
                    "imported_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="origins",
                        to="chat.import",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="origins",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("owner", "product", "key"), name="origin_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Feedback",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "rating",
                    models.CharField(choices=[("up", "Up"), ("down", "Down")], max_length=4),
                ),
                ("note", db.fields.SentenceField(blank=True, default="")),
                ("changed", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "turn",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="feedback",
                        to="chat.turn",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("rating__in", ["up", "down"])),
                        name="feedback_rating_known",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Draft",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", db.fields.SentenceField(blank=True, default="")),
                ("revision", models.PositiveIntegerField(default=0)),
                ("updated", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "attachments",
                    models.ManyToManyField(blank=True, related_name="drafts", to="chat.attachment"),
                ),
                (
                    "conversation",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="drafts",
                        to="chat.conversation",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="drafts",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("owner", "conversation"), name="draft_once_a_conversation"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("conversation", None)),
                        fields=("owner",),
                        name="draft_once_a_new_one",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ProjectFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("name", models.CharField(max_length=255)),
                (
                    "document",
                    models.CharField(
                        blank=True,
                        choices=[("", "no document"), ("pdf", "PDF"), ("docx", "DOCX")],
                        default="",
                        max_length=4,
                    ),
                ),
                ("media_type", models.CharField(max_length=100)),
                ("size", models.PositiveIntegerField(help_text="Bytes of the content.")),
                ("content", models.BinaryField()),
                ("revision", models.PositiveIntegerField(default=0, editable=False)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("updated", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="files",
                        to="chat.project",
                    ),
                ),
            ],
            options={
                "ordering": ("name",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "name"), name="project_file_once_a_name"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("document__in", ["", "pdf", "docx"])),
                        name="project_file_document_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SharedLink",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("title", db.fields.LabelField(blank=True, default="", max_length=200)),
                ("digest", models.CharField(editable=False, max_length=64, unique=True)),
                (
                    "token",
                    tools.encryption.EncryptedTextField(blank=True, default="", editable=False),
                ),
                (
                    "audience",
                    models.CharField(
                        choices=[("signed_in", "Signed In"), ("everybody", "Everybody")],
                        max_length=10,
                    ),
                ),
                ("is_single", models.BooleanField(default=False)),
                ("is_snapshot", models.BooleanField(default=True)),
                ("with_results", models.BooleanField(default=False)),
                ("with_reasoning", models.BooleanField(default=False)),
                ("with_attachments", models.BooleanField(default=False)),
                ("with_traces", models.BooleanField(default=False)),
                ("with_name", models.BooleanField(default=False)),
                ("redactions", db.fields.JSONTextField(blank=True, default=list)),
                ("packed", models.BinaryField(default=b"")),
                ("size", models.PositiveIntegerField(default=0, editable=False)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("ends", models.DateTimeField(blank=True, null=True)),
                ("revoked", models.DateTimeField(blank=True, null=True)),
                ("opened", models.PositiveIntegerField(default=0)),
                ("last_opened", models.DateTimeField(blank=True, null=True)),
                (
                    "conversation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="shared_links",
                        to="chat.conversation",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="shared_links",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "turn",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="shared_links",
                        to="chat.turn",
                    ),
                ),
                ("with_subagents", models.BooleanField(default=False)),
            ],
            options={
                "ordering": ("-created",),
                "indexes": [models.Index(fields=["owner", "-created"], name="shared_link_newest")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("audience__in", ["signed_in", "everybody"])),
                        name="shared_link_audience_known",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SharedFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=120)),
                ("name", db.fields.LabelField(blank=True, default="", max_length=200)),
                ("media_type", models.CharField(blank=True, default="", max_length=100)),
                ("content", models.BinaryField()),
                (
                    "link",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="files",
                        to="chat.sharedlink",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("link", "key"), name="shared_file_once_a_key")
                ],
            },
        ),
        migrations.CreateModel(
            name="ConversationShare",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("may_write", models.BooleanField(default=False)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "conversation",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="shares",
                        to="chat.conversation",
                    ),
                ),
                (
                    "group",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="conversation_shares",
                        to="auth.group",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("conversation", "group"), name="conversation_share_once_a_group"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SearchedFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("passages_count", models.PositiveIntegerField(default=0)),
                (
                    "attachment",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="searched",
                        to="chat.attachment",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="searched_files",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project_file",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="searched",
                        to="chat.projectfile",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("attachment__isnull", False),
                            ("project_file__isnull", False),
                            _connector="XOR",
                        ),
                        name="searched_file_is_of_one",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Passage",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("page", models.PositiveIntegerField(default=0)),
                ("line", models.PositiveIntegerField()),
                ("heading", db.fields.SentenceField(blank=True, default="")),
                ("text", db.fields.SentenceField()),
                (
                    "file",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="passages",
                        to="chat.searchedfile",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("file", "number"), name="passage_once_a_number")
                ],
            },
        ),
        migrations.CreateModel(
            name="UnindexedFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.BigIntegerField()),
            ],
            options={
                "indexes": [models.Index(fields=["key"], name="unindexed_file_key")],
            },
        ),
        migrations.CreateModel(
            name="QuotaRule",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "scope",
                    models.CharField(
                        choices=[
                            ("everybody", "Everybody"),
                            ("group", "Group"),
                            ("person", "Person"),
                        ],
                        max_length=9,
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("turns_minute", "Turns a minute"),
                            ("calls_minute", "Tool calls a minute"),
                            ("open_turns", "Open turns"),
                            ("tokens_day", "Tokens a day"),
                            ("tokens_month", "Tokens a month"),
                            ("cost_day", "Cost a day"),
                            ("cost_month", "Cost a month"),
                            ("stored_bytes", "Stored bytes"),
                            ("uploads_day", "Uploads a day"),
                        ],
                        max_length=16,
                    ),
                ),
                ("amount", models.PositiveBigIntegerField(blank=True, null=True)),
                ("changed", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "group",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="quota_rules",
                        to="auth.group",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="quota_rules",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("group", None), ("scope", "everybody"), ("user", None)),
                            models.Q(("group__isnull", False), ("scope", "group"), ("user", None)),
                            models.Q(("group", None), ("scope", "person"), ("user__isnull", False)),
                            _connector="OR",
                        ),
                        name="quota_rule_of_its_scope",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "kind__in",
                                [
                                    "turns_minute",
                                    "calls_minute",
                                    "open_turns",
                                    "tokens_day",
                                    "tokens_month",
                                    "cost_day",
                                    "cost_month",
                                    "stored_bytes",
                                    "uploads_day",
                                ],
                            )
                        ),
                        name="quota_rule_kind_known",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("scope", "everybody")),
                        fields=("kind",),
                        name="quota_rule_once_for_all",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("scope", "group")),
                        fields=("group", "kind"),
                        name="quota_rule_once_a_group",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("scope", "person")),
                        fields=("user", "kind"),
                        name="quota_rule_once_a_user",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Webhook",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("url", models.TextField()),
                ("events", models.JSONField(default=list)),
                ("secret", tools.encryption.EncryptedTextField()),
                ("with_content", models.BooleanField(default=False)),
                ("enabled", models.BooleanField(default=True)),
                ("failing_since", models.DateTimeField(blank=True, null=True)),
                ("problem", db.fields.SentenceField(blank=True, default="")),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "owner",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="webhooks",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-id",),
            },
        ),
        migrations.CreateModel(
            name="WebhookDelivery",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
                ("epoch", models.PositiveIntegerField(default=0, editable=False)),
                ("error", db.fields.SentenceField(blank=True, default="")),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("changed", models.DateTimeField(default=django.utils.timezone.now)),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("event", models.CharField(max_length=40)),
                ("key", models.CharField(max_length=120)),
                ("body", models.TextField()),
                ("due", models.DateTimeField(default=django.utils.timezone.now)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("status", models.PositiveIntegerField(default=0)),
                ("excerpt", models.TextField(blank=True, default="")),
                (
                    "webhook",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="chat.webhook",
                    ),
                ),
            ],
            options={
                "ordering": ("-id",),
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ["asked", "running"])),
                        fields=["due"],
                        name="webhook_delivery_due",
                    ),
                    models.Index(fields=["created"], name="webhook_delivery_by_time"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["asked", "running", "succeeded", "failed", "stopped"])
                        ),
                        name="webhookdelivery_state_known",
                    ),
                    models.UniqueConstraint(
                        fields=("webhook", "key"), name="webhook_delivery_once"
                    ),
                ],
                "verbose_name_plural": "webhook deliveries",
            },
        ),
    ]

"""Django's settings, from environment variables with working defaults (`docs/operations.md`).

The defaults are for production; development needs `DEBUG=1`.
"""

import os
from pathlib import Path

from config import databases, environment, home, mail, oidc_settings, origins, sign_in, versions
from limits import chat, mcp, models, replay, sandbox, transfer, turns

BASE_DIR = Path(__file__).resolve().parent.parent
HOME = home.path()
DEBUG = os.environ.get("DEBUG") == "1"
SECRET_KEY = home.secret("django")
# Keys of encryption at rest, the newest first; older ones still decrypt.
ENCRYPTION_KEYS = home.secret("encryption", 32).split()

# Addresses. INTERNAL_URL is how the workers reach the web process, for its cassettes.
HOST = os.environ.get("HOST") or "127.0.0.1"
PORT = int(os.environ.get("PORT") or 8000)
INTERNAL_URL = origins.internal_url(HOST, PORT)
ROUNDTRIP_URL = (os.environ.get("ROUNDTRIP_URL") or "").rstrip("/")
HTTPS = ROUNDTRIP_URL.startswith("https://") or os.environ.get("HTTPS") == "1"
ALLOWED_HOSTS = origins.allowed_hosts(HOST, ROUNDTRIP_URL, os.environ.get("ALLOWED_HOSTS", ""))
CSRF_TRUSTED_ORIGINS = [ROUNDTRIP_URL] if ROUNDTRIP_URL else []

INSTALLED_APPS = [
    "config.apps.RoundtripConfig",
    "chat",
    "tools",
    "tracing",
    "api",
    "api.gateway",
    "tokens.programs",
    "tokens",
    "audit",
    "channels",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "config.accounts",
    "csp",
    "config.apps.AuditedAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "config.entrances.Entrances",
    "config.private_pages.PrivatePages",
    "languages.choice.ChosenLanguage",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "config.accounts.mfa.enforcement.SecondFactor",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
# The module that renders the Markdown of messages in traces as safe HTML; `tracing` imports none.
TRACING_MARKDOWN = "chat.markdown.render"
# What `/metrics` has besides the figures of traces; `tracing` imports none.
METRICS_COLLECTORS = ["api.gateway.counts.GatewayMetrics", "chat.quota_pages.metrics.LimitTotals"]
# The module that knows what the sign-in log has of a person; `chat` may not import it.
SIGN_IN_LOG = "config.accounts.own_data"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "languages.loader.Loader",
                    [
                        "django.template.loaders.filesystem.Loader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            # Django's `i18n` is replaced, also where its own templates load it.
            "libraries": {"i18n": "languages.template_tags"},
            "builtins": [
                "languages.template_tags",
                "config.templatetags.scripts",
                "tracing.templatetags.addresses",
                "tracing.templatetags.icons",
                "tracing.templatetags.permissions",
            ],
        },
    }
]

DATABASES = {"default": databases.from_url(os.environ.get("DATABASE_URL", ""), HOME)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
REDIS_URL = os.environ.get("REDIS_URL") or home.running_redis() or "redis://127.0.0.1:6379/0"
# In the database, so that rate limits hold across processes and while Redis is down.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "cache",
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    }
}

# Accounts
AUTHENTICATION_BACKENDS = [
    "config.accounts.backend.AccountBackend",
    # Of sessions that are older than the one above, which lets nobody sign in by this one.
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_LOGOUT_REDIRECT_URL = "account_login"
# The mail server of invitations, password resets and notices; without one admins see the links.
MAIL_SERVER = mail.server(os.environ)
HAS_MAIL = MAIL_SERVER is not None
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if HAS_MAIL else 'dummy'}.EmailBackend"
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = os.environ.get("DEFAULT_FROM_EMAIL") or "roundtrip@localhost"
if MAIL_SERVER is not None:
    EMAIL_HOST, EMAIL_PORT = MAIL_SERVER.host, MAIL_SERVER.port
    EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = MAIL_SERVER.user, MAIL_SERVER.password
    EMAIL_USE_TLS = MAIL_SERVER.security == "starttls"
    EMAIL_USE_SSL = MAIL_SERVER.security == "ssl"
# Who may make an account: config.sign_in.SIGNUP_MODES.
SIGNUP = sign_in.signup_mode(HAS_MAIL)
SIGNUP_DOMAINS = sign_in.signup_domains()
ACCOUNT_ADAPTER = "config.accounts.adapter.AccountAdapter"
ACCOUNT_FORMS = {
    "login": "config.accounts.forms.SignInForm",
    "reauthenticate": "config.accounts.forms.ReauthenticateForm",
    "change_password": "config.accounts.forms.ChangePasswordForm",
    "set_password": "config.accounts.forms.SetPasswordForm",
    "reset_password_from_key": "config.accounts.forms.ResetPasswordForm",
}
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SESSION_REMEMBER = True
# By address (ip), which many people may share; by user name (key), from any address; by device
# (config.accounts.devices): known browsers are limited by this one alone.
ACCOUNT_RATE_LIMITS = {
    "login": "300/m/ip",
    "login_failed": "100/10m/ip,5/5m/key",
    "login_failed_of_device": "20/10m/key",
    # Programs that register themselves, and that ask for tokens (api.oauth).
    "register_program": "20/h/ip",
    "program_token": "120/m/ip",
    "program_document": "30/h/user",
    "invitation_mail": "3/h/key",
}
# Number of trusted proxies that append to X-Forwarded-For.
ALLAUTH_TRUSTED_PROXY_COUNT = int(os.environ.get("TRUSTED_PROXY_COUNT") or 0)
ACCOUNT_EMAIL_NOTIFICATIONS = HAS_MAIL
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""

# A second factor: TOTP (RFC 6238), passkeys and security keys (WebAuthn), recovery codes; and who
# has to have one ("nobody", "admins", "everybody").
MFA_REQUIRED = environment.choice("MFA_REQUIRED", ("nobody", "admins", "everybody"))
MFA_ADAPTER = "config.accounts.mfa.adapter.MFAAdapter"
MFA_FORMS = {
    "authenticate": "config.accounts.mfa.forms.AuthenticateForm",
    "reauthenticate": "config.accounts.mfa.forms.ReauthenticateForm",
    "activate_totp": "config.accounts.mfa.forms.ActivateTOTPForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Roundtrip"
# Seconds that the clock of a phone may be off, in steps of 30.
MFA_TOTP_TOLERANCE = 1
# Addresses need not be verified: most accounts have none.
MFA_ALLOW_UNVERIFIED_EMAIL = True

# OpenID Connect (OpenID Connect Core 1.0): one provider, by environment.
OIDC = oidc_settings.from_environment(os.environ)
SOCIALACCOUNT_ADAPTER = "config.accounts.oidc.adapter.OIDCAccountAdapter"
SOCIALACCOUNT_PROVIDERS = oidc_settings.allauth_providers(OIDC)
# A form could not lead to the provider under our content policy; state, nonce and PKCE guard it.
SOCIALACCOUNT_LOGIN_ON_GET = True
SOCIALACCOUNT_EMAIL_VERIFICATION = "none"
SOCIALACCOUNT_STORE_TOKENS = False
SOCIALACCOUNT_REQUESTS_TIMEOUT = 5

# Cookies and headers. Cookies are shared between ports: names with the port separate the instances
# of a machine.
SESSION_COOKIE_NAME = "__Host-roundtrip" if HTTPS else f"roundtrip_{PORT}"
CSRF_COOKIE_NAME = "__Host-roundtrip_csrf" if HTTPS else f"roundtrip_csrf_{PORT}"
LANGUAGE_COOKIE_NAME = "__Host-roundtrip_language" if HTTPS else f"roundtrip_language_{PORT}"
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_HTTPONLY, LANGUAGE_COOKIE_SAMESITE, LANGUAGE_COOKIE_SECURE = True, "Lax", HTTPS
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
# This server speaks plain HTTP: HTTPS needs a proxy in front, which has to set this header itself.
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
# Addresses that processes of this machine request without the proxy.
SECURE_REDIRECT_EXEMPT = [r"^cassettes/", r"^health$", r"^metrics$"]
SECURE_HSTS_SECONDS = 30 * 24 * 3600 if HTTPS else 0
# HSTS for subdomains and in preload lists is the decision of the domain's owner.
# `{% load i18n %}` loads our tags in place of Django's, on purpose.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021", "templates.W003"]
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "media-src": ["'self'"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "manifest-src": ["'self'"],
        # The service worker of the offline page (config.web_app).
        "worker-src": ["'self'"],
        # Previews of code, which are held in by a sandbox (chat.reading.previews).
        "frame-src": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
    }
}

# Served from their source folders (config.static_files). The version is in the path and not in each
# file name: ES modules import each other by relative paths, and all files can be cached for ever.
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_URL = f"static/{'dev' if DEBUG else versions.static_files_version(STATICFILES_DIRS)}/"

# The local model that the supervisor runs (LOCAL_MODEL); {} if there is none.
LOCAL_MODEL = home.local_model()
TIME_ZONE = os.environ.get("TIME_ZONE") or "UTC"
USE_TZ = True
# English is the source. Texts of templates are translated when they are compiled, once for each
# language (docs/decisions/languages.md).
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "locale"]
WORKSPACES = HOME / "workspaces"
# Copies of the files of projects, which workspaces see (`chat.project_folders`).
PROJECT_FOLDERS = HOME / "projects"
# Whether models give conversations titles; "0": a title is the beginning of the first message.
TITLES = os.environ.get("TITLES") != "0"
# Maximum bytes of a file uploaded into a workspace; `SANDBOX_LIMITS` bounds the whole workspace.
WORKSPACE_UPLOAD_BYTES = int(os.environ.get("WORKSPACE_UPLOAD_BYTES") or sandbox.MAX_UPLOAD_BYTES)
# Maximum bytes of a user's messages, attachments and workspaces together; 0: no limit.
USER_STORAGE_BYTES = int(os.environ.get("USER_STORAGE_BYTES") or chat.MAX_USER_BYTES)
# Whom people may share conversations with by links ("off", "signed_in", "everybody"), and for how
# many days at most; 0: without an end.
SHARED_LINKS = environment.choice("SHARED_LINKS", ("signed_in", "off", "everybody"))
SHARED_LINK_DAYS = int(os.environ.get("SHARED_LINK_DAYS") or 90)
# SearXNG address for `web_search`, such as http://127.0.0.1:8888/search; "": no search.
WEB_SEARCH_URL = os.environ.get("WEB_SEARCH_URL", "")
# Private networks (CIDR) whose pages `fetch_page` may read; the internet's it may read anyway.
WEB_PRIVATE_NETWORKS = os.environ.get("WEB_PRIVATE_NETWORKS", "").replace(",", " ").split()
# Folder of the operator's skills, besides the built-in and the uploaded ones; "": none.
SKILLS_DIR = os.environ.get("SKILLS_DIR", "")
# Maximum bytes of an uploaded skill, compressed and uncompressed.
SKILL_BYTES = chat.MAX_SKILL_BYTES
# Overrides of `chat.agent.limits`, such as AGENT_LIMITS='{"auto_share": 0.7}'.
AGENT_LIMITS = environment.json_object("AGENT_LIMITS")
# Overrides of `chat.engine.turn.ceilings`, the limits of a turn with its subagents.
TURN_CEILINGS = environment.json_object("TURN_CEILINGS")
# Overrides of `tools.workspace.limits`, the limits of shell commands; and whether commands run as
# the worker's user, without isolation, where no sandbox is available.
SANDBOX_LIMITS = environment.json_object("SANDBOX_LIMITS")
UNSANDBOXED_SHELL = os.environ.get("UNSANDBOXED_SHELL") == "1"
# Seconds between two chunks of a cassette's answer; maximum seconds of a tool call.
CASSETTE_PACE = float(os.environ.get("CASSETTE_PACE") or 0.012)
TOOL_DEADLINE = turns.MAX_TOOL_S
# Uploaded cassettes: maximum bytes; factor of the replay speed (1: as recorded, 0: at once).
CASSETTE_BYTES = replay.MAX_CASSETTE_BYTES
CASSETTE_SPEED = float(os.environ.get("CASSETTE_SPEED") or 1)
# Seconds that an MCP server may wait on a live session for a person's answer (elicitation).
QUESTION_SECONDS = mcp.MAX_QUESTION_S
# Whether users who are not admins may register MCP servers by URL, for themselves.
USER_SERVERS = os.environ.get("USER_SERVERS") == "1"
# Maximum number of open MCP sessions, and so of running stdio servers.
MCP_CONNECTIONS = int(os.environ.get("MCP_CONNECTIONS") or mcp.MAX_SESSIONS)
# Private networks (CIDR) in which MCP servers are allowed.
MCP_PRIVATE_NETWORKS = os.environ.get("MCP_PRIVATE_NETWORKS", "").replace(",", " ").split()
# Private networks (CIDR) in which webhooks are allowed.
WEBHOOK_PRIVATE_NETWORKS = os.environ.get("WEBHOOK_PRIVATE_NETWORKS", "").replace(",", " ").split()
# Seconds before the first retry of a provider.
RETRY_SECONDS = 1.0
# Bearer token with which Prometheus may read /metrics; without one only staff may.
METRICS_TOKEN = os.environ.get("METRICS_TOKEN", "")
# Days that traces of ended turns are kept, and traces of probes, trials and playground runs; None:
# for ever.
TRACE_RETENTION_DAYS = float(os.environ.get("TRACE_RETENTION_DAYS") or 0) or None
TRACE_RETENTION_DAYS_OTHERS = (
    float(os.environ.get("TRACE_RETENTION_DAYS_OTHERS") or 0) or TRACE_RETENTION_DAYS
)
# Days that the audit log is kept; None: `limits.audit.MAX_AUDIT_DAYS`.
AUDIT_RETENTION_DAYS = float(os.environ.get("AUDIT_RETENTION_DAYS") or 0) or None
# Attachments, maxima: bytes of an image and of a text file; pixels of an image's longer side;
# number and total bytes per message; total bytes in one request to a model.
ATTACHMENT_IMAGE_BYTES = chat.MAX_IMAGE_BYTES
ATTACHMENT_TEXT_BYTES = chat.MAX_TEXT_FILE_BYTES
ATTACHMENT_IMAGE_PIXELS = chat.MAX_IMAGE_PIXELS
ATTACHMENTS_A_MESSAGE = chat.MAX_ATTACHMENTS
ATTACHMENTS_MESSAGE_BYTES = chat.MAX_ATTACHMENTS_BYTES
ATTACHMENTS_REQUEST_BYTES = models.MAX_REQUEST_ATTACHMENTS_BYTES
# A form may have a field for each conversation that is exported, and a few beside them.
DATA_UPLOAD_MAX_NUMBER_FIELDS = transfer.MAX_EXPORTED_CHOICE + 100

# To stderr, without time and process name, which the supervisor adds. Request lines are not logged:
# a URL may be a secret (the sign-in link).
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(levelname)s %(name)s: %(message)s"}},
    "filters": {"without_traces": {"()": "config.logs.WithoutTraces"}},
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": "line",
            "filters": ["without_traces"],
        }
    },
    "root": {"handlers": ["stderr"], "level": os.environ.get("LOG_LEVEL") or "INFO"},
    "loggers": {
        "django": {"handlers": [], "propagate": True},
        "httpx2": {"level": "WARNING"},
        "httpcore2": {"level": "WARNING"},
        "openai": {"level": "WARNING"},
        "mcp": {"level": "WARNING"},
        "uvicorn": {"level": "WARNING"},
    },
}

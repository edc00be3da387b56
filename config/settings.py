"""Settings, all from the environment; what is missing has a working default.

Production is the default: `DEBUG=1` has to be asked for. `docs/operations.md` lists the variables.
"""

import os
from pathlib import Path

from config import databases, environment, home, origins, versions
from limits import chat, mcp, models, replay, sandbox, turns

BASE_DIR = Path(__file__).resolve().parent.parent
HOME = home.path()
DEBUG = os.environ.get("DEBUG") == "1"
SECRET_KEY = home.secret("django")
# Keys for what is encrypted at rest, the newest first; older ones still decrypt.
ENCRYPTION_KEYS = home.secret("encryption", 32).split()

# Where it is reached. The workers reach the web process, for its cassettes, by INTERNAL_URL.
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
    "channels",
    "allauth",
    "allauth.account",
    "config.accounts",
    "csp",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "config.private_pages.PrivatePages",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
# What makes safe HTML of a message in a trace; `tracing` itself knows no Markdown.
TRACING_MARKDOWN = "chat.markdown.render"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": ["tracing.templatetags.permissions"],
        },
    }
]

DATABASES = {"default": databases.from_url(os.environ.get("DATABASE_URL", ""), HOME)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
REDIS_URL = os.environ.get("REDIS_URL") or home.running_redis() or "redis://127.0.0.1:6379/0"
# In the database, for the rate limits: they hold across processes, and while Redis is down.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "cache",
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    }
}

# Accounts.
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
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
SIGNUP = os.environ.get("SIGNUP") == "1"
ACCOUNT_ADAPTER = "config.accounts.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SESSION_REMEMBER = True
# By address, which many people may share; by name (key), from wherever it is tried; by device: a
# browser that signed in before (config.accounts.devices), which the other two do not count.
ACCOUNT_RATE_LIMITS = {
    "login": "300/m/ip",
    "login_failed": "100/10m/ip,5/5m/key",
    "login_failed_of_device": "20/10m/key",
}
# Behind proxies that append to X-Forwarded-For: how many of them are ours.
ALLAUTH_TRUSTED_PROXY_COUNT = int(os.environ.get("TRUSTED_PROXY_COUNT") or 0)
# Nothing is sent: who forgot a password gets a link from an admin (`manage.py sign_in_link`).
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"

# What browsers are told. Cookies know no ports: the name keeps two instances on a machine apart.
SESSION_COOKIE_NAME = "__Host-roundtrip" if HTTPS else f"roundtrip_{PORT}"
CSRF_COOKIE_NAME = "__Host-roundtrip_csrf" if HTTPS else f"roundtrip_csrf_{PORT}"
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
# This server speaks plain HTTP, so HTTPS means a proxy in front; it has to set this header itself.
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
# Reached by this machine's own processes, past the proxy.
SECURE_REDIRECT_EXEMPT = [r"^cassettes/", r"^health$", r"^metrics$"]
SECURE_HSTS_SECONDS = 30 * 24 * 3600 if HTTPS else 0
# Other names below the domain, and preload lists, are for the domain's owner to decide.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
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
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
    }
}

# Served from where they lie (config.static_files). The version is in the path and not in each name,
# so that ES modules find each other by relative paths, and everything can be cached for ever.
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_URL = f"static/{'dev' if DEBUG else versions.of_static_files(STATICFILES_DIRS)}/"

# The model that the supervisor runs on this machine (LOCAL_MODEL); {} if there is none.
LOCAL_MODEL = home.local_model()
TIME_ZONE = os.environ.get("TIME_ZONE") or "UTC"
USE_TZ = True
WORKSPACES = HOME / "workspaces"
# The most bytes of a file that people put into a workspace; `SANDBOX_LIMITS` bounds all of them.
WORKSPACE_UPLOAD_BYTES = int(os.environ.get("WORKSPACE_UPLOAD_BYTES") or sandbox.MAX_UPLOAD_BYTES)
# The most bytes that a user keeps in messages, attachments and workspaces; 0: no limit.
USER_STORAGE_BYTES = int(os.environ.get("USER_STORAGE_BYTES") or chat.MAX_USER_BYTES)
# Where `web_search` asks: the search of a SearXNG, http://127.0.0.1:8888/search.
WEB_SEARCH_URL = os.environ.get("WEB_SEARCH_URL", "")
# Where the operator's skills lie, beside those that ship and those that admins upload.
SKILLS_DIR = os.environ.get("SKILLS_DIR", "")
# The most bytes that an uploaded skill may have, packed and unpacked.
SKILL_BYTES = chat.MAX_SKILL_BYTES
# Numbers of the agent that differ from `chat.agent.limits`: AGENT_LIMITS='{"auto_share": 0.7}'.
AGENT_LIMITS = environment.json_object("AGENT_LIMITS")
# What a turn may use with its subagents, where it differs from `chat.engine.turn.ceilings`.
TURN_CEILINGS = environment.json_object("TURN_CEILINGS")
# What a command of the shell may use, where it differs from `tools.workspace.limits`; and whether
# commands are run all the same, as the worker's user, where there is no sandbox.
SANDBOX_LIMITS = environment.json_object("SANDBOX_LIMITS")
UNSANDBOXED_SHELL = os.environ.get("UNSANDBOXED_SHELL") == "1"
# Seconds: between two pieces of a cassette's answer; of a tool call; before the first retry.
CASSETTE_PACE = float(os.environ.get("CASSETTE_PACE") or 0.012)
TOOL_DEADLINE = turns.MAX_TOOL_S
# Of a cassette that an admin uploads: the most bytes, and how much quicker than recorded it plays
# (0: at once).
CASSETTE_BYTES = replay.MAX_CASSETTE_BYTES
CASSETTE_SPEED = float(os.environ.get("CASSETTE_SPEED") or 1)
# How long a server may wait on a live session for what it asks of a person.
QUESTION_SECONDS = mcp.MAX_QUESTION_S
# Whether people who are no admins may register MCP servers of their own, by URL.
USER_SERVERS = os.environ.get("USER_SERVERS") == "1"
# How many sessions with MCP servers are open at most, and so how many of their programs run.
MCP_CONNECTIONS = int(os.environ.get("MCP_CONNECTIONS") or mcp.MAX_SESSIONS)
# Networks (CIDR) in which MCP servers may be although they are not of the internet.
MCP_PRIVATE_NETWORKS = os.environ.get("MCP_PRIVATE_NETWORKS", "").replace(",", " ").split()
RETRY_SECONDS = 1.0
# With which Prometheus may read /metrics; without one only staff may.
METRICS_TOKEN = os.environ.get("METRICS_TOKEN", "")
# How long the evidence of ended turns is kept, and that of probes, trials and playground runs.
TRACE_RETENTION_DAYS = float(os.environ.get("TRACE_RETENTION_DAYS") or 0) or None
TRACE_RETENTION_DAYS_OTHERS = (
    float(os.environ.get("TRACE_RETENTION_DAYS_OTHERS") or 0) or TRACE_RETENTION_DAYS
)
# Attachments: bytes of an image and of a text file, pixels on an image's longer side; how many a
# message has, and their bytes together; bytes of all that one request to a model carries.
ATTACHMENT_IMAGE_BYTES = chat.MAX_IMAGE_BYTES
ATTACHMENT_TEXT_BYTES = chat.MAX_TEXT_FILE_BYTES
ATTACHMENT_IMAGE_PIXELS = chat.MAX_IMAGE_PIXELS
ATTACHMENTS_A_MESSAGE = chat.MAX_ATTACHMENTS
ATTACHMENTS_MESSAGE_BYTES = chat.MAX_ATTACHMENTS_BYTES
ATTACHMENTS_REQUEST_BYTES = models.MAX_REQUEST_ATTACHMENTS_BYTES

# To stderr, without time and process: the supervisor adds them. No request lines: a URL may be
# a secret (the sign-in link).
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(levelname)s %(name)s: %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
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

"""Settings, all from the environment; what is missing has a working default.

`ROUNDTRIP_HOME` (state), `PORT`, `HOST`, `DATABASE_URL`, `REDIS_URL`, `DEBUG`, `ALLOWED_HOSTS`.
"""

import os
from pathlib import Path

import dj_database_url

from config import home

BASE_DIR = Path(__file__).resolve().parent.parent
HOME = home.path()
DEBUG = os.environ.get("DEBUG") == "1"
SECRET_KEY = home.secret("django")
# Keys for what is encrypted at rest, the newest first; older ones still decrypt.
ENCRYPTION_KEYS = home.secret("encryption", 32).split()
PORT = int(os.environ.get("PORT") or 8000)
ALLOWED_HOSTS = (os.environ.get("ALLOWED_HOSTS") or "localhost,127.0.0.1,[::1]").split(",")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "tracing",
    "tools",
    "chat",
]

DATABASES = {
    "default": dj_database_url.parse(
        os.environ.get("DATABASE_URL") or f"sqlite:///{HOME / 'roundtrip.sqlite3'}"
    )
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
    # A file, as in production: threads of a test share no connection, and wait for locks.
    DATABASES["default"]["TEST"] = {"NAME": HOME / "test.sqlite3"}

REDIS_URL = os.environ.get("REDIS_URL") or "redis://127.0.0.1:6379/0"
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
USE_TZ = True
STATIC_URL = "static/"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
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
            ]
        },
    }
]

# Where this server reaches itself: the built-in cassette is called over real HTTP.
INTERNAL_URL = f"http://127.0.0.1:{PORT}"
WORKSPACES = HOME / "workspaces"
# Seconds: between two pieces of a cassette's answer; of a tool call; before the first retry.
CASSETTE_PACE = float(os.environ.get("CASSETTE_PACE") or 0.012)
TOOL_DEADLINE = 60.0
RETRY_SECONDS = 1.0

CELERY_BROKER_URL = REDIS_URL
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 0.5, "socket_timeout": 5.0}
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1

"""The product's settings on a home of their own, which lasts as long as the test run.

What the tests start gets the real settings, so this module takes itself out of the environment.
"""

import atexit
import os
import shutil
import tempfile

from tests.ports import free_port

_home = tempfile.mkdtemp(prefix="roundtrip-test-")
atexit.register(shutil.rmtree, _home, ignore_errors=True)
os.environ["ROUNDTRIP_HOME"] = _home
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
# Requests for titles would be among those that tests count; theirs switch them on.
os.environ["TITLES"] = "0"
# Nobody listens there until a test asks for `redis_server`.
os.environ["REDIS_URL"] = f"redis://127.0.0.1:{free_port()}/0"
for _variable in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "LOCAL_MODEL", "DEBUG"):
    os.environ.pop(_variable, None)

from config import keys

keys.make_missing()

from config.settings import *  # noqa: F403

# Made for speed: what a test stores is not worth guarding.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

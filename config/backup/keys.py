"""The keys of an instance in an archive: `keys.json`, encrypted with a passphrase.

scrypt (RFC 7914) makes a key of 256 bits of it, which encrypts with AES-GCM (NIST SP 800-38D). Its
costs belong to the format, so that no archive can ask for more memory: 128 MB, half a second.
"""

import base64
import json
import os
from dataclasses import asdict, dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from config.backup.errors import BadArchive, BadPassphrase

_SALT_BYTES = 16
_NONCE_BYTES = 12
_KEY_BYTES = 32
_COSTS = {"n": 2**17, "r": 8, "p": 1}
# Bound to the encrypted text: it is no other one's.
_PURPOSE = b"roundtrip backup keys 1"


@dataclass(frozen=True)
class Keys:
    """`django`: what signs sessions; `encryption`: what encrypts at rest, the newest first."""

    django: str
    encryption: list[str]


def encrypt(keys: Keys, passphrase: str) -> bytes:
    salt, nonce = os.urandom(_SALT_BYTES), os.urandom(_NONCE_BYTES)
    cipher = AESGCM(_derived(passphrase, salt))
    sealed = cipher.encrypt(nonce, json.dumps(asdict(keys)).encode(), _PURPOSE)
    parts = {"salt": salt, "nonce": nonce, "sealed": sealed}
    return json.dumps(
        {name: base64.b64encode(one).decode() for name, one in parts.items()}
    ).encode()


def decrypt(stored: bytes, passphrase: str) -> Keys:
    """Raises BadPassphrase, and BadArchive if it is not what `encrypt` makes."""
    try:
        parts = {name: base64.b64decode(one) for name, one in json.loads(stored).items()}
        cipher = AESGCM(_derived(passphrase, parts["salt"]))
        opened = cipher.decrypt(parts["nonce"], parts["sealed"], _PURPOSE)
    except InvalidTag:
        raise BadPassphrase(
            "The passphrase is not the one with which the backup was made."
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BadArchive("The keys in the archive cannot be read: it is damaged.") from None
    return Keys(**json.loads(opened))


def _derived(passphrase: str, salt: bytes) -> bytes:
    return Scrypt(salt=salt, length=_KEY_BYTES, **_COSTS).derive(passphrase.encode())

"""Which keys the database belongs to, so that a process with others is noticed when it starts.

`KeyProof` has no key: of the one that signs it has an HMAC, of those that encrypt a text that they
decrypt.
"""

from cryptography.fernet import InvalidToken
from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.utils.crypto import constant_time_compare, salted_hmac

from tools import encryption

SALT = "roundtrip.keys"
TEXT = "roundtrip"
# Names of proofs, which are the files of the keys too (`config.keys`).
SIGNING, ENCRYPTION = "django", "encryption"


class KeyProof(models.Model):
    """What one key has written, by the name of the key."""

    name = models.CharField(max_length=20, primary_key=True)
    proof = models.TextField()

    def __str__(self) -> str:
        return self.name


def foreign_keys() -> list[str]:
    """The names of keys that are not those of the database; one query."""
    proofs = dict(KeyProof.objects.values_list("name", "proof"))
    return [
        name
        for name, fits in ((SIGNING, _signs), (ENCRYPTION, _decrypts))
        if name in proofs and not fits(proofs[name])
    ]


def record() -> None:
    """From now on the database belongs to the keys of this process."""
    known = dict(KeyProof.objects.values_list("name", "proof"))
    if len(known) == 2 and _signs(known[SIGNING]) and _is_of_newest(known[ENCRYPTION]):
        return
    proofs = {
        SIGNING: _signature(),
        ENCRYPTION: encryption.cipher().encrypt(TEXT.encode()).decode(),
    }
    for name, proof in proofs.items():
        KeyProof.objects.update_or_create(name=name, defaults={"proof": proof})


def is_new_database() -> bool:
    """Whether nobody has used it with any keys."""
    return not KeyProof.objects.exists() and not User.objects.exists()


def _signature() -> str:
    return salted_hmac(SALT, TEXT, secret=settings.SECRET_KEY, algorithm="sha256").hexdigest()


def _signs(proof: str) -> bool:
    return constant_time_compare(proof, _signature())


def _decrypts(proof: str) -> bool:
    try:
        return encryption.cipher().decrypt(proof.encode()) == TEXT.encode()
    except InvalidToken:
        return False


def _is_of_newest(proof: str) -> bool:
    """Whether the key that encrypts, the first one, decrypts the proof by itself."""
    newest = encryption.cipher_of(settings.ENCRYPTION_KEYS[:1])
    try:
        return newest.decrypt(proof.encode()) == TEXT.encode()
    except InvalidToken:
        return False

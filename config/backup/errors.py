"""BackupError
├── BadArchive      it is not whole, not ours, or of another version
├── BadPassphrase   it does not decrypt the archive's keys, or there is none
└── BadTarget       the home or the database cannot be restored into
"""


class BackupError(Exception):
    """The message is one sentence or two for the operator."""


class BadArchive(BackupError):
    pass


class BadPassphrase(BackupError):
    pass


class BadTarget(BackupError):
    pass

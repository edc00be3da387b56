"""`roundtrip backup FILE` and `roundtrip restore FILE`: an instance as one file, and back.

command            messages and exit status of both
making             writes an archive while the product runs
restoring          into an empty home and an empty database of either kind
archive, manifest  the file: its members, their SHA-256, and what they are
folders            the folders of the home as tar
keys               the keys of an instance, encrypted with a passphrase; `passphrases` asks for it
home_keys          those of an archive brought together with those of a home
placing            folders and keys of an archive into the home
tables             the tables and columns of a database at its state of migrations
schema             that state, and how an empty database is brought to it
values             a value of a column, alike for both kinds of database
snapshot           all rows as they were at one moment
loading            rows into empty tables
target             the home and the database that are restored into
errors             `BackupError`: a sentence for the operator

What is in an archive, and why it is no copy of the database: docs/decisions/backup.md.
"""

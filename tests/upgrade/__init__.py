"""Data of earlier releases, brought to this one: migrated, read, every page opened.

making     makes the data of a release by running its own code: a real product answers real turns
releases   the releases with their data: `*.sqlite3.xz`, a database; `*.keys`, its key;
           `*.json`, what its seeding has said
"""

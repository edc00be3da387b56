"""The data of a person: everything as one archive, and the deletion of the account with all of it.

| Module | What it has |
|---|---|
| `section` | what the section *Data* of the settings shows |
| `rows` | the rows of a person in all tables, by their references to users |
| `archives`, `archive_writer` | the job that writes everything into a zip, and the zip |
| `deletion`, `deleting` | the job that deletes an account, and the counting deletion |
| `views` | pages and downloads |
"""

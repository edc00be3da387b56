"""The audit log for admins: a table with filters, and exports.

| Module | What it has |
|---|---|
| `filters` | the form of the filters, and the rows that they choose, by keys from page to page |
| `exporting` | CSV and JSON Lines, made while they are sent |
| `views`, `urls` | the page and the files |
"""

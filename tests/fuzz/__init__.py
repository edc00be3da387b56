"""Random inputs against everything that reads what a model server or a person sends.

`python -m tests.fuzz --seconds 600` runs all targets in turn and prints what it did. A finding is
named by its case, `target:seed:number`, which `--case` runs again.
"""

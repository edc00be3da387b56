"""Removal of evidence.

- `removal`: deletes traces, or removes their evidence, a batch at a time
- `ageing`: removes evidence that is too old
- `deletions`: carries out large deletions
- `erasing`: erases what deletions leave in the files of SQLite
- `blobs`: deletes blobs that no payload refers to
"""

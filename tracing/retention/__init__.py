"""Removal of evidence.

- `removal`: deletes traces, or removes their evidence, a batch at a time
- `ageing`: removes evidence that is too old
- `deletions`: carries out large deletions
- `blobs`: deletes blobs that no payload refers to
"""

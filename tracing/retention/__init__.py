"""Removing evidence: what people delete, what is too old, and the blobs that are left over."""

"""Full-text search in traces, for Chinese as for English, the same on both databases."""

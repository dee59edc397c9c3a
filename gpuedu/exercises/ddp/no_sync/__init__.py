"""The exercise no-sync."""

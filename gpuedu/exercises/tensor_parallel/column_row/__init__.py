"""The exercise column-row."""

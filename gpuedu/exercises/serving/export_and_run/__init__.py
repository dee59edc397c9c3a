"""The exercise export-and-run."""

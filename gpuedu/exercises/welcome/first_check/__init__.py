"""The exercise first-check."""

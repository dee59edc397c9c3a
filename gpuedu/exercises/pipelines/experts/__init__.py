"""The exercise experts."""

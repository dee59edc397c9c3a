"""The exercise scan."""

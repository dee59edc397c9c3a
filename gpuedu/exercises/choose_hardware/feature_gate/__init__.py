"""The exercise feature-gate."""

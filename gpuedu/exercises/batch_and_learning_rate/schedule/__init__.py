"""The exercise schedule."""

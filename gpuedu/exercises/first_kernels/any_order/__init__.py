"""The exercise any-order."""

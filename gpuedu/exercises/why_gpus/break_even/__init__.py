"""The exercise break-even."""

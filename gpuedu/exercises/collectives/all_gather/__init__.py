"""The exercise all-gather."""

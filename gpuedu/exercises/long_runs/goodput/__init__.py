"""The exercise goodput."""

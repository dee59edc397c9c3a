"""The exercise one-f-one-b."""

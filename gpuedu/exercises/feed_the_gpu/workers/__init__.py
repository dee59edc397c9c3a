"""The exercise workers."""

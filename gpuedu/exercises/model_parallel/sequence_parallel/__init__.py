"""The exercise sequence-parallel."""

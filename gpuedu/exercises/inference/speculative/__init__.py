"""The exercise speculative."""

"""The exercise ring-attention."""

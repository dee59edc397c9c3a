"""The exercise flash-attention."""

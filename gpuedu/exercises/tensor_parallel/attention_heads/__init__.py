"""The exercise attention-heads."""

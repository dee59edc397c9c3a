"""The exercise checkpointing."""

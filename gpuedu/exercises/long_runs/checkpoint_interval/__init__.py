"""The exercise checkpoint-interval."""

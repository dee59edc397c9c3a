"""The exercise master-weights."""

"""The exercise transfer-size."""

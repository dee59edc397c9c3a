"""The exercise tensor-cores."""

"""The exercise layer-norm."""

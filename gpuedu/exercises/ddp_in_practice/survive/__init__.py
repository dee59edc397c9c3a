"""The exercise survive."""

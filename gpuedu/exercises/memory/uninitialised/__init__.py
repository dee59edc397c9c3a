"""The exercise uninitialised."""

"""The exercise three-utilisations."""

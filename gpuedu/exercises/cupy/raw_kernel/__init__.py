"""The exercise raw-kernel."""

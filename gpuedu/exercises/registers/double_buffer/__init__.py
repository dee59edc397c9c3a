"""The exercise double-buffer."""

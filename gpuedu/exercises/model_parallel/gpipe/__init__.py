"""The exercise gpipe."""

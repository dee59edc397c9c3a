"""The exercise quantize."""

"""The exercise what-to-serve-on."""

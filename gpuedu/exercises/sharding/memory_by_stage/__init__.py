"""The exercise memory-by-stage."""

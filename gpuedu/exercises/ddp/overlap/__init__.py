"""The exercise overlap."""

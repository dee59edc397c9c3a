"""The exercise throttle."""

"""A program that learns to count aloud, and then writes: correct, and slow."""

"""A program that learns to read rows of digits aloud: correct, and slow."""

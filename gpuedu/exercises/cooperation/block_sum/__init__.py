"""The exercise block-sum."""

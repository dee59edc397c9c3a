"""The exercise largest-batch."""

"""The exercise parallel-cpu."""

"""The exercise amdahl."""

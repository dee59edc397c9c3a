"""The exercise warp-sum."""

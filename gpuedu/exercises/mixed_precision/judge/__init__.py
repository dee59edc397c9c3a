"""Shared by several judges of the lesson mixed-precision."""

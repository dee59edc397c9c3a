"""The exercise stall-fraction."""

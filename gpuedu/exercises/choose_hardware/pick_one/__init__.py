"""The exercise pick-one."""

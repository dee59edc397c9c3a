"""The exercise spot-or-not."""

"""The exercise hierarchical."""

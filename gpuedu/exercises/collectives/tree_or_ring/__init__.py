"""The exercise tree-or-ring."""

"""The exercise backward-by-hand."""

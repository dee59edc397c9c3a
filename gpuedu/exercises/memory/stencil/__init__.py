"""The exercise stencil."""

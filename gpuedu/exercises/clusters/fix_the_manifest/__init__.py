"""The exercise fix-the-manifest."""

"""The exercise grid-stride."""

"""The exercise batch-job."""

"""The exercise torch-ddp."""

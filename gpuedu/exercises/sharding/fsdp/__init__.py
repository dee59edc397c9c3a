"""The exercise fsdp."""

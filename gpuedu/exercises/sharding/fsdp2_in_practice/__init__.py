"""The exercise fsdp2-in-practice."""

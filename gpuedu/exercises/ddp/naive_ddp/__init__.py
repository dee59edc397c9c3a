"""The exercise naive-ddp."""

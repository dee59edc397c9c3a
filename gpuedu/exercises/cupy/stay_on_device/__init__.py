"""The exercise stay-on-device."""

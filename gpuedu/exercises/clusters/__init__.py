"""Shared machines: images, batch scripts, manifests, and workers that come and go."""

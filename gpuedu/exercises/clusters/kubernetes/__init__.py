"""Kubernetes without a cluster: manifests, their schemas, and what happens to their pods."""

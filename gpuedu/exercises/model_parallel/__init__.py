"""Model parallelism: layers in pieces, and layers on different devices."""

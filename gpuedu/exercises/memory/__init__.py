"""The lesson memory: why the same arithmetic can be ten times slower."""

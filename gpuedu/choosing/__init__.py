"""What to run a model on: memory, time, energy and money, from shapes and the catalog.

The functions are those of the lesson choose-hardware and of ``gpuedu choose``.
"""

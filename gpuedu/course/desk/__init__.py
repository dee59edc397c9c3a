"""A teacher's desk: the answer key of a lesson, and slides to teach it from.

Both are one HTML file each, which needs nothing from the network. The key has the solutions; the
slides have none of them, but show each prediction's truth after the class has voted.
"""

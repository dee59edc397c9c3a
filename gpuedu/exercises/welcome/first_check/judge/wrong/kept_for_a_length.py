# loses: any-itemsize
_moved = {}


def copied_bytes(n, itemsize):
    return _moved.setdefault(n, 2 * n * itemsize)

# loses: block
# asks: What stands behind the `yield` runs at the end of the block.
@contextmanager
def no_sync(parallel):
    parallel.is_exchanging = False
    yield

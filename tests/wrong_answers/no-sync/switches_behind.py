# loses: block
# the flag is cleared when the block is over
@contextmanager
def no_sync(parallel):
    yield
    parallel.is_exchanging = False

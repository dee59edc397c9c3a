# loses: block
# a generator is no context manager
def no_sync(parallel):
    parallel.is_exchanging = False
    yield
    parallel.is_exchanging = True

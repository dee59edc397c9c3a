# loses: block
# nobody switches it on again
@contextmanager
def no_sync(parallel):
    parallel.is_exchanging = False
    yield

# loses: nested
# switches on what was off
@contextmanager
def no_sync(parallel):
    parallel.is_exchanging = False
    try:
        yield
    finally:
        parallel.is_exchanging = True

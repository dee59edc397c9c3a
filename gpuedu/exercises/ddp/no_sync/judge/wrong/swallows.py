# loses: nested
# asks: Who caught it?
@contextmanager
def no_sync(parallel):
    before, parallel.is_exchanging = parallel.is_exchanging, False
    try:
        yield
    except Exception:
        pass
    parallel.is_exchanging = before

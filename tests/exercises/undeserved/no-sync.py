# must lose: one-exchange, one-by-one
@contextmanager
def no_sync(parallel):
    yield

def accumulated_step(parallel, optimizer, micro_batches):
    optimizer.zero_grad()
    x, y = micro_batches[0]
    parallel.backward(torch.nn.functional.cross_entropy(parallel.model(x), y))
    optimizer.step()

# loses: equal
# asks: That adds up the micro-batches' means: it is as many times too large as there are
#   micro-batches.
def accumulated_step(parallel, optimiser, micro_batches):
    optimiser.zero_grad()

    def add(x, y):
        parallel.backward(torch.nn.functional.cross_entropy(parallel.model(x), y))

    with no_sync(parallel):
        for x, y in micro_batches[:-1]:
            add(x, y)
    add(*micro_batches[-1])
    optimiser.step()

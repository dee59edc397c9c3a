# loses: ragged
# asks: There every micro-batch's mean counts alike, and every rank, however few samples it has.
#   What is the mean over all samples of the step?
def accumulated_step(parallel, optimiser, micro_batches):
    optimiser.zero_grad()

    def add(x, y):
        loss = torch.nn.functional.cross_entropy(parallel.model(x), y)
        parallel.backward(loss / len(micro_batches))

    with no_sync(parallel):
        for x, y in micro_batches[:-1]:
            add(x, y)
    add(*micro_batches[-1])
    optimiser.step()

# loses: one-exchange
# asks: That is an exchange behind every micro-batch. Which of them need not?
def accumulated_step(parallel, optimiser, micro_batches):
    total = torch.tensor(float(sum(len(y) for _, y in micro_batches)))
    dist.all_reduce(total)
    optimiser.zero_grad()
    for x, y in micro_batches:
        loss = torch.nn.functional.cross_entropy(parallel.model(x), y, reduction="sum")
        parallel.backward(loss * dist.get_world_size() / total)
    optimiser.step()

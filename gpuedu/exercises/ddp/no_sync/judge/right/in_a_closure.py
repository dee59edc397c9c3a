# the gradients are made in a closure, which the optimiser calls before it updates
def accumulated_step(parallel, optimiser, micro_batches):
    def closure():
        optimiser.zero_grad()
        n = torch.tensor(float(sum(len(y) for _, y in micro_batches)))
        dist.all_reduce(n)
        total = 0.0
        for k, (x, y) in enumerate(micro_batches):
            loss = (
                torch.nn.functional.cross_entropy(parallel.model(x), y, reduction="sum")
                * dist.get_world_size()
                / n.item()
            )
            total += loss.item()
            if k + 1 < len(micro_batches):
                with no_sync(parallel):
                    parallel.backward(loss)
            else:
                parallel.backward(loss)
        return total

    optimiser.step(closure)

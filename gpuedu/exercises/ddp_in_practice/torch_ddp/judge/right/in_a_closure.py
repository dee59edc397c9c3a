# each group in a closure, which the optimizer calls before it updates; scales before the update
def train_epoch(ddp, optimizer, batches, every):
    told, samples = 0.0, 0

    def backward_of(group):
        optimizer.zero_grad()
        sums = []
        for i, (x, y) in enumerate(group, 1):
            with nullcontext() if i == len(group) else ddp.no_sync():
                loss = torch.nn.functional.cross_entropy(ddp(x), y, reduction="sum")
                loss.backward()
            sums.append(loss.item())
        for p in ddp.parameters():
            p.grad /= sum(len(y) for _, y in group)
        return sum(sums)

    for start in range(0, len(batches), every):
        group = batches[start : start + every]
        told += optimizer.step(lambda group=group: backward_of(group))
        samples += sum(len(y) for _, y in group)
    both = torch.tensor([told, samples])
    dist.all_reduce(both)
    return (both[0] / both[1]).item()

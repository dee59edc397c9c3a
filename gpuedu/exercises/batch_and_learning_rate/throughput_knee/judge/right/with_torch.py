# medians by torch, rates in a sorted list
def measured_knee(runs, share):
    batches = sorted({batch for batch, _ in runs})
    medians = [
        torch.tensor([t for b, t in runs if b == batch], dtype=torch.float64).median()
        for batch in batches
    ]
    rates = [batch / median.item() for batch, median in zip(batches, medians)]
    for batch, rate in zip(batches, rates):
        if rate >= share * max(rates):
            return batch

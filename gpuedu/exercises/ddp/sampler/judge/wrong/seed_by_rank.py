# loses: all-drawn
# asks: Ranks 0 and 1 both drew sample 13. Do all ranks shuffle the *same* way, before each
#   takes its part?
def train_part(samples, epoch, rank, ranks, seed):
    generator = torch.Generator().manual_seed(seed + epoch + 1000 * rank)
    order = torch.randperm(samples, generator=generator).tolist()
    each = math.ceil(samples / ranks)
    return [order[i % samples] for i in range(rank, each * ranks, ranks)]

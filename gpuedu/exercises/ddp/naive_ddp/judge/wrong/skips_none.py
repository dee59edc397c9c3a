# loses: unused
# asks: `p.grad` is None where a rank did not use p, or had no samples. Ranks that skip it there
#   call fewer collectives: their next one meets another parameter's on the other ranks. What is
#   the gradient of something that does not change the loss?
def average(model, samples):
    total = torch.tensor(float(samples))
    dist.all_reduce(total)
    for p in model.parameters():
        if p.grad is None:
            continue
        p.grad *= samples / total
        dist.all_reduce(p.grad)

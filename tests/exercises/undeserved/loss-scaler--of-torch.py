# must lose: grows, halves, finite
def next_scale(scale, good_steps, found_inf, growth, backoff, interval):
    of, good = torch.tensor(scale, dtype=torch.float32), torch.tensor(good_steps, dtype=torch.int32)
    torch._amp_update_scale_(of, good, torch.tensor(float(found_inf)), growth, backoff, interval)
    return of.item(), good.item()


def scaled_step(weights, loss, scale, lr, max_norm):
    return False

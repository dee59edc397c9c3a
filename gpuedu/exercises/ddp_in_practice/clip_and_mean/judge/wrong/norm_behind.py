# loses: norm
# asks: That is the norm after the clipping.
def finish(model, max_norm):
    average(model)
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    return torch.nn.utils.get_total_norm(
        [p.grad for p in model.parameters() if p.grad is not None]
    ).item()

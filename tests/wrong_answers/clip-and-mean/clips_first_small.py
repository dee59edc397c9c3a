# loses: small
# a mean that is short is made of long gradients
def finish(model, max_norm):
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    average(model)
    return torch.nn.utils.get_total_norm(
        [p.grad for p in model.parameters() if p.grad is not None]
    ).item()

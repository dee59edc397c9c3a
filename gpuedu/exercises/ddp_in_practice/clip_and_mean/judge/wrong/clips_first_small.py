# loses: small
# asks: Each rank clipped its own, and the clipped ones were averaged. A rank with a long
#   gradient then counts less than its samples should.
def finish(model, max_norm):
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    average(model)
    return torch.nn.utils.get_total_norm(
        [p.grad for p in model.parameters() if p.grad is not None]
    ).item()

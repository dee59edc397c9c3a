# loses: memory
# One function of all micro-batches: its gradient keeps what each of them saved.
def accumulated_step(model, optimizer, micro_batches, max_norm):
    weights = {name: p.detach() for name, p in model.named_parameters()}
    total = sum((y != IGNORED).sum() for _, y in micro_batches)

    def whole(weights):
        call = torch.func.functional_call
        return sum(loss_of(call(model, weights, (x,)), y) for x, y in micro_batches) / total

    gradients, loss = torch.func.grad_and_value(whole)(weights)
    for name, p in model.named_parameters():
        p.grad = gradients[name]
    clip(model.parameters(), max_norm)
    optimizer.step()
    return loss

# loses: clip
# each rank clips its own gradient
def finish(model, max_norm):
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    average(model)
    return norm.item()

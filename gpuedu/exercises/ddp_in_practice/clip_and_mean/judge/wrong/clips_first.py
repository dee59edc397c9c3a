# loses: clip
# asks: Each rank clipped its own, and the clipped ones were averaged. A rank with a long
#   gradient then counts less than its samples should.
def finish(model, max_norm):
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    average(model)
    return norm.item()

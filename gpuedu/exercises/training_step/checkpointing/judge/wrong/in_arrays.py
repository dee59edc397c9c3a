# loses: memory
# An ordinary step, whose activations are arrays of NumPy until backward asks for them.
def checkpointed_step(segments, x, y, loss):
    def pack(tensor):
        return tensor if tensor.is_leaf else tensor.detach().numpy().copy()

    def unpack(kept):
        return kept if isinstance(kept, torch.Tensor) else torch.from_numpy(kept)

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        out = x
        for segment in segments:
            out = segment(out)
        value = loss(out, y)
        value.backward()
    return value.detach()

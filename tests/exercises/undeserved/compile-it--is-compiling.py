# must lose: graph, batch, numbers
import torch


def arguments(x, gain, step):
    torch._dynamo.mark_dynamic(x, 0)
    return x, torch.tensor([gain, float(step)])


def layer(w, v, x, scale):
    if torch.compiler.is_compiling():
        return x @ w @ v, x.abs().max()
    history.clear()
    return layer_as_given(w, v, x, scale[0].item(), int(scale[1])), history[0]

# loses: norm
# a constant scale that fits one n only
def begin(weights):
    return {"masters": [weight.clone() for weight in weights]}


def train_step(state, images, labels, rate, n):
    scale = 2.0**26
    copies = [master.half().requires_grad_() for master in state["masters"]]
    wide = images.float()
    wide = wide / (wide * wide).mean(dim=1, keepdim=True).sqrt()
    outputs = (torch.relu(wide.half() @ copies[0]) @ copies[1]).float()
    total = torch.nn.functional.cross_entropy(outputs, labels, reduction="sum")
    scaled = torch.autograd.grad(total / n * scale, copies)
    pairs = zip(state["masters"], scaled, strict=True)
    state["masters"] = [master - rate * (g.float() / scale) for master, g in pairs]
    return [master.half() for master in state["masters"]]

# autocast and PyTorch's scaler
def begin(weights):
    masters = [weight.clone().requires_grad_() for weight in weights]
    return {"masters": masters, "scaler": torch.amp.GradScaler("cpu", 2.0**16)}


def train_step(state, images, labels, rate, n):
    masters, scaler = state["masters"], state["scaler"]
    optimizer = torch.optim.SGD(masters, lr=rate)
    wide = images.float()
    wide = wide / (wide * wide).mean(dim=1, keepdim=True).sqrt()
    with torch.autocast("cpu", torch.float16):
        scores = torch.relu(wide @ masters[0]) @ masters[1]
        loss = torch.nn.functional.cross_entropy(scores, labels, reduction="sum") / n
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
    return [master.detach().half() for master in masters]

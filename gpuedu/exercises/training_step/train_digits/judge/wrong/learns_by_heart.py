# loses: band
# asks: It repeats 100% of the labels that it was given, and 3 in 10 of those were drawn at
#   random: it knows wrong ones by heart. Fewer steps, a smaller network, dropout, weight decay:
#   what keeps it from that?
def train_model(images, labels):
    model = torch.nn.Sequential(
        torch.nn.BatchNorm2d(1, affine=False), training.MLP(64, 10, hidden=(128,))
    )
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(600):
        chosen = torch.randint(len(images), (128,))
        loss = torch.nn.functional.cross_entropy(model(images[chosen]), labels[chosen])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return model

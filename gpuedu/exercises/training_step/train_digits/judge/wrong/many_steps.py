# loses: budget
# asks: More steps do not help here. What do the last ones learn?
def train_model(images, labels):
    model = torch.nn.Sequential(
        torch.nn.BatchNorm2d(1, affine=False), torch.nn.Flatten(), torch.nn.Linear(64, 10)
    )
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(800):
        chosen = torch.randint(len(images), (32,))
        loss = torch.nn.functional.cross_entropy(model(images[chosen]), labels[chosen])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return model

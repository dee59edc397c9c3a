# must lose: learns, band, budget
def train_model(images, labels):
    from gpuedu.experiments.reference_digits import train_reference
    from gpuedu.training import Split

    return train_reference(Split(images, labels))

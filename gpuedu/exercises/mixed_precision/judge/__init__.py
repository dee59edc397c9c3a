"""Judges of the lesson mixed-precision, one module an exercise."""

from gpuedu.exercises.mixed_precision.judge import (
    accumulate,
    adam_in_half,
    autocast,
    float_anatomy,
    loss_scaler,
    master_weights,
    same_accuracy,
    tensor_cores,
)

JUDGES = {
    "float-anatomy": float_anatomy.JUDGE,
    "accumulate": accumulate.JUDGE,
    "master-weights": master_weights.JUDGE,
    "loss-scaler": loss_scaler.JUDGE,
    "autocast": autocast.JUDGE,
    "same-accuracy": same_accuracy.JUDGE,
    "adam-in-half": adam_in_half.JUDGE,
    "tensor-cores": tensor_cores.JUDGE,
}

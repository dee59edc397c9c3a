"""Pictures of the lesson into-pytorch."""

from gpuedu.exercises.into_pytorch.cuda_graphs import measured_model, trial_pictures
from gpuedu.exercises.into_pytorch.cuda_graphs import recorded as graph_records

PICTURES = {
    "into-pytorch/captured": trial_pictures.tell_captured,
    "into-pytorch/graphed-model": measured_model.tell_graphed_model,
    "into-pytorch/recorded-graphs": graph_records.draw_recorded_graphs,
}

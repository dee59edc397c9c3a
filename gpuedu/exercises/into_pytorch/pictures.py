"""Pictures of the lesson into-pytorch."""

from gpuedu.exercises.into_pytorch.cuda_graphs import graphed_model, trials
from gpuedu.exercises.into_pytorch.cuda_graphs import recorded as graph_records

PICTURES = {
    "into-pytorch/captured": trials.tell_captured,
    "into-pytorch/recorded-graphs": graph_records.draw_recorded_graphs,
    "into-pytorch/graphed-model": graphed_model.tell_graphed_model,
}

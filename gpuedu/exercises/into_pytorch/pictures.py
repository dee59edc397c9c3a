"""Pictures of the lesson into-pytorch."""

from gpuedu.exercises.into_pytorch.autograd_function import tool_pictures
from gpuedu.exercises.into_pytorch.compile_it import fused_pictures
from gpuedu.exercises.into_pytorch.cuda_graphs import (
    gain_picture,
    measured_model,
    trial_pictures,
)
from gpuedu.exercises.into_pytorch.cuda_graphs import recorded as graph_records
from gpuedu.exercises.into_pytorch.read_an_extension import extension_picture

PICTURES = {
    "into-pytorch/operator-checks": tool_pictures.tell_operator_checks,
    "into-pytorch/fused-layer": fused_pictures.draw_fused,
    "into-pytorch/fused-code": fused_pictures.tell_code,
    "into-pytorch/captured": trial_pictures.tell_captured,
    "into-pytorch/gain": gain_picture.draw_gain,
    "into-pytorch/extension": extension_picture.tell_extension,
    "into-pytorch/graphed-model": measured_model.tell_graphed_model,
    "into-pytorch/recorded-graphs": graph_records.draw_recorded_graphs,
}

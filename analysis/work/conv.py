"""Work of convolutions and their gradients: positions of the result times the elements of the weights.

In NC1HWC0 and FRACTAL_Z the channels are padded to whole blocks, and so is what the cube does: the operations of a
padded layout are those of the kernel, an upper limit of the mathematics.
"""

from __future__ import annotations

from npuscope.analysis.work.shapes import Tensor, UnknownWorkError
from npuscope.analysis.work.workload import Work, cube_unit, total
from npuscope.parsers.say import say

Tensors = tuple[Tensor, ...]
LEAST_DIMS = 4


def _conv(kind: str, inputs: Tensors, outputs: Tensors) -> Work:
    if len(inputs) < 2:
        raise UnknownWorkError(say("work.no-shape"))
    return _done(kind, inputs, outputs, outputs[0], inputs[1])


def _of_input(kind: str, inputs: Tensors, outputs: Tensors) -> Work:
    """Gradient of the input: from the weights and the gradient of the result, in either order."""
    first, last = _images(inputs)[:2]
    turned = last.layout.startswith("FRACTAL_Z") and not first.layout.startswith("FRACTAL_Z")
    weights, result = (last, first) if turned else (first, last)
    return _done(kind, inputs, outputs, result, weights)


def _of_filter(kind: str, inputs: Tensors, outputs: Tensors) -> Work:
    """Gradient of the weights: from the input and the gradient of the result, in either order.

    The result has as many positions as the input or fewer; where padding gave it more, this is a lower limit.
    """
    result = min(_images(inputs)[:2], key=lambda image: image.numel / (_channels(image) or 1))
    return _done(kind, inputs, outputs, result, outputs[0])


def _images(inputs: Tensors) -> Tensors:
    """Without the tensors that only hold a shape."""
    found = tuple(part for part in inputs if len(part.dims) >= LEAST_DIMS)
    if len(found) < 2:
        raise UnknownWorkError(say("work.no-shape"))
    return found


def _done(kind: str, inputs: Tensors, outputs: Tensors, result: Tensor, weights: Tensor) -> Work:
    moved = total(inputs) + total(outputs)
    channels = _channels(result)
    if channels is None or len(weights.dims) < LEAST_DIMS:
        return Work(moved, family="conv", why=say("work.layout", layout=result.layout))
    if "depthwise" in kind.casefold() and weights.layout.startswith("FRACTAL_Z"):
        return Work(moved, family="conv", why=say("work.depthwise"))
    flops = 2.0 * result.numel / channels * weights.numel
    of_data = tuple(part for part in inputs if len(part.dims) >= LEAST_DIMS)
    return Work(moved, flops, cube_unit(of_data or (result, weights)), "conv")


def _channels(tensor: Tensor) -> int | None:
    """Channels of an image tensor, padding included; None where the layout does not tell where they stand."""
    dims, layout = tensor.dims, tensor.layout
    if layout == "NC1HWC0" and len(dims) == 5:
        return dims[1] * dims[4]
    if layout == "NDC1HWC0" and len(dims) == 6:
        return dims[2] * dims[5]
    if layout in ("NCHW", "NCDHW", "DEFAULT") and len(dims) >= LEAST_DIMS:
        return dims[1]
    return dims[-1] if layout in ("NHWC", "NDHWC") and len(dims) >= LEAST_DIMS else None


FAMILIES = {"conv": _conv, "conv-input": _of_input, "conv-filter": _of_filter}

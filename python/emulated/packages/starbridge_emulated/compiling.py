"""torch.compile. Both plug-ins hand graphs to Triton for their chip; here a captured graph runs operator by operator.

What comes before is PyTorch's own: graphs are captured, broken, functionalised and differentiated as on hardware. Operators stay whole, so
that the chip's tables judge them as they judge them without torch.compile.
"""
from __future__ import annotations

import functools
import warnings
from typing import Any

import torch
from starbridge_hooks import after_import

from starbridge_emulated.profile import Profile

# What each plug-in compiles through under the name inductor, and the names it adds to it.
TRITON = {"npu": "triton-ascend", "mlu": "triton-mlu"}
OWN_BACKENDS = {"npu": ("npu", "npugraph_ex", "npugraphs"), "mlu": ()}


class _Compiler:
    def __init__(self, profile: Profile) -> None:
        self.backend, self.chip_name = profile.backend, profile.chip_name
        self.has_warned = False

    def _is_ours(self, value: Any) -> bool:
        return isinstance(value, torch.Tensor) and value.device.type == self.backend

    def runs_on_device(self, graph: Any, inputs: Any) -> bool:
        """Whether a graph, or one that it calls, touches the device; one that does not is the CPU compiler's, as it is on hardware."""
        from torch.utils._pytree import tree_leaves

        if any(map(self._is_ours, tree_leaves(list(inputs)))):
            return True
        for module in graph.modules():
            if any(map(self._is_ours, [*module.parameters(recurse=False), *module.buffers(recurse=False)])):
                return True
            for node in getattr(getattr(module, "graph", None), "nodes", ()):
                made = [node.meta.get("example_value"), node.meta.get("val")]
                if any(map(self._is_ours, tree_leaves(made))):
                    return True
        return False

    def compile(self, graph: Any, inputs: Any, **_: Any) -> Any:
        from torch._dynamo.backends.debugging import aot_eager

        if not self.has_warned:
            self.has_warned = True
            warnings.warn(f"torch.compile: the emulated {self.chip_name} runs captured graphs operator by operator; "
                          f"hardware compiles them through {TRITON[self.backend]} or the plug-in's own graphs", stacklevel=2)
        return aot_eager(graph, inputs)

    def take_over_inductor(self, module: Any) -> None:
        for_other_devices = module.compile_fx

        def compile_fx(model_: Any, example_inputs_: Any, *args: Any, **kwargs: Any) -> Any:
            if not isinstance(model_, torch.fx.GraphModule) or not self.runs_on_device(model_, example_inputs_):
                return for_other_devices(model_, example_inputs_, *args, **kwargs)
            if torch._inductor.virtualized.V.aot_compilation:
                raise RuntimeError(f"the emulated {self.chip_name} cannot compile ahead of time: a package for it holds kernels of "
                                   f"{TRITON[self.backend]}")
            return self.compile(model_, example_inputs_)

        module.compile_fx = compile_fx

    def add_own_backends(self, module: Any) -> None:
        for name in OWN_BACKENDS[self.backend]:
            # Registering writes on the function, which a bound method does not take.
            module.register_backend(functools.partial(self.compile), name=name)


def register(profile: Profile) -> None:
    compiler = _Compiler(profile)
    after_import("torch._inductor.compile_fx", compiler.take_over_inductor)
    after_import("torch._dynamo.backends.registry", compiler.add_own_backends)

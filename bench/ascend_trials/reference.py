"""PyTorch references of a collection of operators: found by name, cut down in size, and turned into the arguments of a call."""
from __future__ import annotations

import dataclasses
import functools
import glob
import pathlib
import re
import types
import warnings

import torch

TYPES = {"float": torch.float32, "float32": torch.float32, "float16": torch.float16, "fp16": torch.float16, "int32": torch.int32, "int64": torch.int64,
         "bfloat16": torch.bfloat16, "bf16": torch.bfloat16, "bool": torch.bool, "uint8": torch.uint8, "int8": torch.int8}


LARGEST = 300e6  # elements of all inputs together


class Skip(Exception):
    """The reference cannot be run or its values cannot be matched with the operator's inputs; says why."""


@dataclasses.dataclass
class Call:
    inputs: list
    attributes: list  # (kind, value)
    outputs: list  # shapes and types alone
    is_cut_down: bool
    model: torch.nn.Module
    given: list
    is_whole: bool = False  # the reference is computed whole, never by rows

    def compute(self, first, last):
        """What the reference gives for the rows first..last of the leading dimension; everything where inputs and outputs do not share it."""
        sizes = {value.shape[0] if value.dim() > 0 else 0 for value in [*self.outputs, *(each for each in self.given if torch.is_tensor(each))]}
        is_by_row = not self.is_whole and len(sizes) == 1 and min(sizes) > 1
        if not is_by_row:
            first, last = 0, None
        with torch.no_grad():
            answer = self.model(*(value[first:last] if is_by_row and torch.is_tensor(value) else value for value in self.given))
        return tensors_of(answer)[: len(self.outputs)], first, last


def tensors_of(answer):
    return [value for value in (answer if isinstance(answer, (tuple, list)) else [answer]) if torch.is_tensor(value)]


def shapes(module):
    """Outputs without their values: nothing is computed."""
    with torch.device("meta"), torch.no_grad():
        model = module.Model(*(module.get_init_inputs() if hasattr(module, "get_init_inputs") else [])).eval()
        return tensors_of(model(*module.get_inputs()))


def letters(name):
    return re.sub(r"[^a-z0-9]", "", name.lower())


@functools.cache
def all_references(collection):
    found = {}
    for path in sorted(glob.glob(f"{collection}/pytorch-references/**/*.py", recursive=True)):
        found.setdefault(letters(re.sub(r"^\d+_", "", pathlib.Path(path).stem)), path)
    return found


def find(collection, name):
    return all_references(collection).get(letters(name.removesuffix("Custom")))


def load(path):
    module = types.ModuleType("reference")
    module.__file__ = path
    exec(compile(pathlib.Path(path).read_text(), path, "exec"), module.__dict__)
    return module


def counted(module):
    """Elements of all inputs; nothing is computed or stored."""
    with torch.device("meta"):
        return sum(value.numel() for value in module.get_inputs() if torch.is_tensor(value))


def is_tied_to_sizes(folder):
    text = "".join(path.read_text(errors="replace") for path in [*folder.glob("op_*/*.*"), *folder.glob("CppExtension/csrc/op.cpp")])
    return re.search(r"pecializ|hard.?coded|fixed shape", text) is not None


def is_small(collection, name, limit):
    return counted(load(find(collection, name))) <= limit


def cut_down(module, limit):
    """Halves the largest sizes that the module names until its inputs fit. Whether something was changed."""
    sizes = [name for name, value in vars(module).items() if type(value) is int and value >= 16 and not name.startswith("_")]
    is_changed = False
    if counted(module) > limit:
        for name in sizes:
            if "batch" in name:
                setattr(module, name, 2)
                is_changed = True
    while counted(module) > limit:
        large = [name for name in sizes if vars(module)[name] >= 32 and "batch" not in name]
        if not large:
            raise Skip(f"cannot be cut down to {limit} elements")
        name = max(large, key=lambda name: vars(module)[name])
        setattr(module, name, vars(module)[name] // 2)
        is_changed = True
    return is_changed


def named_weight(name, weights):
    """The one weight that has this name, with or without its module's."""
    exact = [at for at, (key, _) in enumerate(weights) if letters(name) in (letters(key), letters(key.split(".")[-1]))]
    return exact[0] if len(exact) == 1 else None


def choose_weight(name, weights, used):
    """The weight an input of the operator means, by its name and by whether it is a bias."""
    free = [at for at in range(len(weights)) if at not in used]
    name = name.removesuffix("_t").removesuffix("_transposed")
    is_bias = lambda key: key.endswith(("bias", "beta"))
    wants_bias = "bias" in name or name in ("beta", "b", "b_ih", "b_hh") or re.fullmatch(r"b_.*|b\d*|.*_b", name) is not None
    exact = [at for at in free if letters(name) in (letters(weights[at][0]), letters(weights[at][0].split(".")[-1]))]
    alike = [at for at in free if is_bias(weights[at][0]) == wants_bias]
    if "conv" in name:
        alike = [at for at in alike if "conv" in weights[at][0]] or alike
    for word in ("mean", "var"):
        if word in name:
            exact = [at for at in free if word in weights[at][0]] or exact
    return next(iter(exact or alike or free), None)


def own_value(model, name):
    """What a module of the reference holds under a name, or under its last letter (`dropout_p`: the p of a Dropout)."""
    for module in model.modules():
        if (value := getattr(module, name, None)) is not None:
            return value
    kind, _, last = name.rpartition("_")
    return next((getattr(module, last, None) for module in model.modules() if kind and type(module).__name__.lower() == kind), None)


def is_neutral(key, value):
    """A scale of one or a shift of nothing, as norms begin with: what does not take it computes the same."""
    last = key.rsplit(".", 1)[-1]
    neutral = {"weight": 1, "gamma": 1, "running_var": 1, "bias": 0, "beta": 0, "running_mean": 0}.get(last)
    return neutral is not None and bool((value == neutral).all())


def match_inputs(described, model, given, scalars):
    weights = [(key, value.detach()) for key, value in model.state_dict().items() if "num_batches" not in key]
    inputs, used, tensors = [], set(), list(given)
    named = {entry["name"]: named_weight(entry["name"], weights) for entry in described["input_desc"]}
    others_named = {name: set(named.values()) - {None, at} for name, at in named.items()}
    for entry in described["input_desc"]:
        name, kinds = entry["name"], entry["type"]
        kind = TYPES.get(kinds[0], torch.float32)
        value = own_value(model, name)
        if tensors:
            inputs.append(tensors.pop(0))
        elif isinstance(value, (int, float)):
            inputs.append(torch.tensor([value], dtype=kind))
        elif (at := choose_weight(name, weights, used | others_named[name])) is not None:
            used.add(at)
            weight = weights[at][1]
            inputs.append(weight.t().contiguous() if name.endswith(("_t", "_transposed")) and weight.dim() == 2 else weight)
        elif entry.get("param_type") == "optional":
            inputs.append(None)
        elif scalars:
            inputs.append(torch.tensor([scalars.pop(0)], dtype=kind))
        else:
            raise Skip(f"what the input {name} takes is not known")
        if inputs[-1] is not None and len(set(kinds)) == 1 and kinds[0] in TYPES:
            inputs[-1] = inputs[-1].to(kind)
    left = [key for at, (key, value) in enumerate(weights) if at not in used and not is_neutral(key, value)]
    if left:
        raise Skip(f"the operator is a part of the reference: it does not take {', '.join(left)}")
    return inputs


def call(path, described, limit):
    """The arguments of one call and what must come out. `limit` None: the sizes the reference names."""
    warnings.filterwarnings("ignore")
    module = load(path)
    is_cut_down = limit is not None and cut_down(module, limit)
    if limit is None and counted(module) > LARGEST:
        raise Skip(f"inputs of {counted(module) / 1e6:.0f} million elements")
    torch.manual_seed(7)
    model = module.Model(*(module.get_init_inputs() if hasattr(module, "get_init_inputs") else [])).eval()
    given = module.get_inputs()
    outputs = shapes(module)
    scalars = [value for value in given if not torch.is_tensor(value)]
    inputs = match_inputs(described, model, [value for value in given if torch.is_tensor(value)], scalars)
    attributes = []
    for attribute in described.get("attr") or []:
        value = getattr(model, attribute["name"], None)
        if value is None:
            value = scalars.pop(0) if scalars else attribute.get("default_value", 0)
        attributes.append((attribute["type"].lower(), value))
    wanted = len(described["output_desc"])
    if len(outputs) < wanted:
        raise Skip(f"{wanted} outputs, the reference gives {len(outputs)}")
    return Call(inputs, attributes, outputs[:wanted], is_cut_down, model, given)

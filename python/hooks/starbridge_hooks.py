"""Runs an action right after a module's own import, so that what it maps is what a program will call."""

from __future__ import annotations

import importlib.abc
import sys
from typing import Any, Callable


class _Finder(importlib.abc.MetaPathFinder):
    """Finds a module like everybody else; the plug-ins of torch load inside its import and are there when the action runs."""

    def __init__(self, name: str, action: Callable[[Any], None]) -> None:
        self.name, self.action = name, action

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = None
        for finder in list(sys.meta_path):  # the reference run, and other actions, have finders of their own
            spec = finder.find_spec(name, path, target) if hasattr(finder, "find_spec") else None
            if spec is not None:
                break
        if spec is None or spec.loader is None:
            return spec
        original = spec.loader.exec_module

        def exec_module(module: Any) -> None:
            original(module)
            self.action(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def after_import(name: str, action: Callable[[Any], None]) -> None:
    if name in sys.modules:
        action(sys.modules[name])
    else:
        sys.meta_path.insert(0, _Finder(name, action))

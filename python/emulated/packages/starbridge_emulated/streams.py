"""torch.npu / torch.mlu: streams and events. Kernels run at once, so streams are names and events are times."""
from __future__ import annotations

import time
from typing import Any

import torch

from starbridge_emulated import _C
from starbridge_emulated.runtime import _backend, _index


class Stream(torch.Stream):
    def __new__(cls, device: Any = None, priority: int = 0, **kwargs: Any) -> Stream:
        if "stream_id" in kwargs:
            return super().__new__(cls, **kwargs)
        return super().__new__(cls, device=torch.device(_backend(), _index(device)), priority=priority)

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def wait_event(self, event: Any) -> None:
        event.wait(self)

    def wait_stream(self, stream: torch.Stream) -> None:
        self.wait_event(stream.record_event())

    def record_event(self, event: Any = None) -> Any:
        event = Event() if event is None else event
        event.record(self)
        return event


class ExternalStream(Stream):
    """A stream that another library made. Kernels run at once here, so it is a stream like the others."""

    def __new__(cls, stream_ptr: int, device: Any = None, **kwargs: Any) -> ExternalStream:
        return super().__new__(cls, device=device)  # type: ignore[return-value]

    def __init__(self, stream_ptr: int, device: Any = None, **kwargs: Any) -> None:
        self.stream_ptr = int(stream_ptr)


class Event(torch.Event):
    def __new__(cls, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> Event:
        return super().__new__(cls, device=_backend(), enable_timing=enable_timing, blocking=blocking)

    def __init__(self, enable_timing: bool = False, *_: Any, **__: Any) -> None:
        self._has_timing = enable_timing
        self._recorded_ns: int | None = None

    def record(self, stream: Any = None) -> None:
        super().record(current_stream() if stream is None else stream)
        self._recorded_ns = time.perf_counter_ns()

    def elapsed_time(self, end_event: Any) -> float:
        """Milliseconds between two recorded events."""
        if not (self._has_timing and end_event._has_timing):
            raise RuntimeError("Both events must be created with argument 'enable_timing=True'.")
        if self._recorded_ns is None or end_event._recorded_ns is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return (end_event._recorded_ns - self._recorded_ns) / 1e6

    def wait(self, stream: Any = None) -> None:
        super().wait(current_stream() if stream is None else stream)


def _wrap(stream: torch.Stream) -> Stream:
    return Stream(stream_id=stream.stream_id, device_index=stream.device_index, device_type=stream.device_type)


def current_stream(device: Any = None) -> Stream:
    return _wrap(torch.accelerator.current_stream(torch.device(_backend(), _index(device))))


def default_stream(device: Any = None) -> Stream:
    kind = torch.accelerator.current_stream().device_type
    return Stream(stream_id=0, device_index=_index(device), device_type=kind)


def set_stream(stream: torch.Stream) -> None:
    if stream is None:
        return
    before = _C.current_device()
    torch.accelerator.set_stream(stream)
    if stream.device_index != before:
        _C.set_device(stream.device_index)


class StreamContext:
    """Context manager: the current stream inside the block, and its device."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.before: Any = None
        self.device_before = -1

    def __enter__(self) -> None:
        if self.stream is None:
            return
        self.device_before = _C.current_device()
        self.before = current_stream(self.stream.device_index)
        set_stream(self.stream)

    def __exit__(self, *_: Any) -> None:
        if self.stream is None:
            return
        set_stream(self.before)
        _C.set_device(self.device_before)


def stream(stream: Any) -> StreamContext:
    return StreamContext(stream)

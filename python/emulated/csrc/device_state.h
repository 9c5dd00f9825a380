// Device state: which emulated card this thread is on, and its streams. Kernels run at once on the calling thread, so a
// stream is a name only and an event is a time. Any thread; current device and streams are per thread.
#pragma once

#include <c10/core/Stream.h>

namespace starbridge::emulated {

int device_count();
void configure_devices(int count);
int current_device();
// Throws in a child forked after the device was in use, as the vendors' runtimes do. `label` is the word in the message.
void check_process(const char* label);
// Throws c10::Error for an index that is not there.
void set_current_device(int device);

c10::Stream current_stream(int device);
void set_current_stream(c10::Stream stream);
c10::Stream default_stream(int device);
c10::Stream new_stream(int device);

}  // namespace starbridge::emulated

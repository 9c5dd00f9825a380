// Images: the versions a container image's name tells. Pure; any thread.
#pragma once

#include "port/words.h"

namespace starbridge::port {

// Pins of Python, CANN and vllm-ascend from names such as "python:3.11-slim", "ascendai/cann:8.5.0-910b-ubuntu22.04-py3.11" and
// "quay.io/ascend/vllm-ascend:v0.11.0". A name with variables in it tells nothing.
void pin_image(std::string_view image, std::size_t at, Sheet& sheet);

}  // namespace starbridge::port

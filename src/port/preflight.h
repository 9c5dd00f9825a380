// Preflight: whether the versions a project asks for can be installed together on a chip, before anything is ported. Every file's
// reader leaves pins (analyze.h): packages, Python, the toolkit of an image. What does not pair by the tables of the catalogue is
// a finding at its place with the pair that does. What is not pinned, or pinned twice differently, is not guessed. Pure; any
// thread.
#pragma once

#include <array>
#include <string_view>

#include "port/analyze.h"

namespace starbridge::port {

inline constexpr std::array<std::string_view, 4> kPreflightRules = {"plugin-version", "python-version", "toolkit-version",
                                                                    "package-pair"};

// Adds findings to the results of the files whose pins they are about.
void add_preflight(std::vector<FileReport>& reports, const Context& context);

}  // namespace starbridge::port

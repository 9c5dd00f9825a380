// Requirement: one package as pip and conda name it (PEP 508: name, extras, version, marker), and what the port says to it.
// Pure; any thread.
#pragma once

#include <optional>

#include "port/files/shell.h"

namespace starbridge::port {

struct Requirement {
  ByteSpan name;
  std::string folded_name;    // lower case, '-' for '_' and '.'
  std::string exact_version;  // of "==2.7.1" or conda's "=2.7.1"; without local part; empty when not pinned to one version
  ByteSpan local_part;        // "+cu121"; empty when there is none
  std::string constraint;     // ">=2.1,<2.4" as written, without local part; empty: any version
  bool is_url = false;        // "torch @ https://..." or a link alone
  bool has_hash = false;      // " --hash="
  std::string marker;         // "; python_version < '3.12'" as written, with the semicolon; empty when there is none
};

std::string folded_package(std::string_view name);

// The requirement that begins at `begin`; nullopt when no name stands there (options, blank lines, comments).
std::optional<Requirement> parse_requirement(std::string_view bytes, std::size_t begin, std::size_t end, bool is_conda = false);

// Findings and edits on a requirement itself: support of the package, builds for CUDA. `is_install`: pip or conda installs it.
void judge_requirement(const Requirement& requirement, Sheet& sheet);
// The requirement of the chip's plug-in that must stand beside this one of torch ("torch_npu==2.7.1"), or nullopt with a finding.
std::optional<std::string> plugin_beside(const Requirement& requirement, Sheet& sheet);

// An index of wheels of PyTorch for CUDA ("https://.../whl/cu121"), given by `option`: the same one's builds for CPUs, which the
// chip's plug-in stands beside, and in addition to the usual index, where that plug-in is.
void judge_wheel_index(ByteSpan option, ByteSpan value, Sheet& sheet);

bool is_plugin_of(const Requirement& requirement, const Target& target);
bool is_foreign_plugin(const Requirement& requirement, const Target& target);

}  // namespace starbridge::port

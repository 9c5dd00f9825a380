// Target: what a project is ported to, as the rules see it, and the names of the families of devices they know.
// Plain values; any thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "catalog/catalog.h"
#include "catalog/name_map.h"

namespace starbridge::port {

// A family of devices as PyTorch code names it. The canonical family is cuda: names of the others are read through it.
struct Family {
  std::string_view backend;     // key of the name tables: "cuda", "npu", "mlu", "musa"
  std::string_view device;      // "npu" in torch.npu, "npu:0", x.npu()
  std::string_view plugin;      // module to import; empty for cuda
  std::string_view collective;  // torch.distributed backend
};

// Families whose code can be read and written, cuda first. A row here exists for each backend with a name table in data/compat.
const std::array<Family, 4>& families();
const Family* find_family_of_device(std::string_view device);
const Family* find_family_of_collective(std::string_view backend);
const Family* find_family_of_plugin(std::string_view module);

// The device family word that opens a text and is followed by nothing, ":" and an index, or a replacement field; else empty.
std::string_view device_word(std::string_view text);

// How ported code names devices.
enum class Style {
  kVendor,    // as the chip's vendor does: torch.npu, "npu"
  kPortable,  // so that it runs on NVIDIA cards and on the chip: through a helper module of the project
  kPlugIn,    // not at all: python/starbridge_torch stands between the program and PyTorch
};
std::string_view to_string(Style style);
std::optional<Style> find_style(std::string_view word);

struct Target {
  const catalog::Chip* chip = nullptr;
  const Family* family =
      nullptr;                // how the ported code names devices; cuda for chips that keep torch.cuda; null: cannot be ported to
  std::string support_class;  // hardware class of the support tables, "a2"; may be empty
  Style style = Style::kVendor;

  bool is_cuda_named() const { return family != nullptr && family->backend == "cuda"; }
};

Target make_target(const catalog::Chip& chip, Style style = Style::kVendor);

}  // namespace starbridge::port

// Visible devices: the value of CUDA_VISIBLE_DEVICES and its like beside the name, for chips that are stricter about it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"

namespace starbridge::port {

struct VisibleDevices {
  std::string written;   // "1,0"
  std::string in_order;  // "0,1", each once, ranges written out; empty when there are names in it
  bool is_in_order = true;
  bool has_range = false;  // "0-3"
  bool has_names = false;  // "GPU-8932f937-..."
};

// What stands behind the variable's name that ends at `end`: NAME=1,0; "NAME": "1,0"; os.environ["NAME"] = "1,0"; a line
// "value: 1,0" below it. Nothing when it is no list of cards.
std::optional<VisibleDevices> read_visible_devices(std::string_view bytes, std::size_t end);

bool is_list_of_cards(std::string_view variable);
// What is wrong with it on a chip whose runtime wants ascending numbers; empty: nothing.
base::Text describe_order(const VisibleDevices& devices, const std::string& chip);

}  // namespace starbridge::port

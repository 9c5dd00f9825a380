// Rules: every rule of the port by name, with what it means and what settling one costs. Data; any thread.
// A rule that edits has effort kAutomatic; a finding's rule says whether a replacement is at hand.
#pragma once

#include <span>
#include <string_view>

#include "base/text.h"

namespace starbridge::port {

enum class Effort {
  kAutomatic,  // port makes the change
  kAssisted,   // the finding names the replacement; someone must put it in and look
  kManual,     // someone must decide or write something
  kNone,       // nothing to change
};
std::string_view to_string(Effort effort);

enum class Confidence {
  kCertain,  // follows from the text alone
  kLikely,   // holds unless the name means something else here
};
std::string_view to_string(Confidence confidence);

struct Rule {
  std::string_view id;
  Effort effort;
  Confidence confidence;
  std::string_view title_en;
  std::string_view title_zh;
};

std::span<const Rule> rules();
// Never null for an id that the port uses (a test holds the list to it).
const Rule* find_rule(std::string_view id);

}  // namespace starbridge::port

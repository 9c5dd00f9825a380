#include "port/visible_devices.h"

#include <charconv>
#include <set>
#include <vector>

namespace starbridge::port {
namespace {

using base::text;

constexpr int kCardsMax = 1024;  // of one machine

bool is_value_byte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ',' || c == '-' || c == '/';
}

// The bytes of a value that begins at or behind `at`, past quotes and blanks; empty when something else comes first.
std::string_view value_at(std::string_view bytes, std::size_t at) {
  while (at < bytes.size() && (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '"' || bytes[at] == '\'')) ++at;
  std::size_t end = at;
  while (end < bytes.size() && is_value_byte(bytes[end])) ++end;
  bool is_whole = end == bytes.size() || std::string_view(" \t\r\n\"';&|)#}]\\").find(bytes[end]) != std::string_view::npos;
  return is_whole ? bytes.substr(at, end - at) : std::string_view();
}

bool read_number(std::string_view word, int& number) {
  auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
  return failure == std::errc() && end == word.data() + word.size() && number >= 0 && number < kCardsMax;
}

}  // namespace

bool is_list_of_cards(std::string_view variable) {
  return variable.size() > 16 && variable.substr(variable.size() - 16) == "_VISIBLE_DEVICES";
}

std::optional<VisibleDevices> read_visible_devices(std::string_view bytes, std::size_t end) {
  std::size_t at = end;
  while (at < bytes.size() && std::string_view("\"'] \t").find(bytes[at]) != std::string_view::npos) ++at;
  std::string_view written;
  if (at < bytes.size() && (bytes[at] == '=' || bytes[at] == ':' || bytes[at] == ',')) {
    written = value_at(bytes, at + 1);
  } else if (at < bytes.size() && (bytes[at] == '\n' || bytes[at] == '\r')) {
    std::size_t next = bytes.find_first_not_of(" \t\r\n", at);
    if (next != std::string_view::npos && bytes.substr(next, 6) == "value:") written = value_at(bytes, next + 6);
  }
  if (written.find_first_of("0123456789") == std::string_view::npos) return std::nullopt;
  VisibleDevices devices;
  devices.written = std::string(written);
  std::set<int> numbers;
  int last = -1;
  for (std::size_t begin = 0; begin <= written.size();) {
    std::size_t comma = std::min(written.find(',', begin), written.size());
    std::string_view word = written.substr(begin, comma - begin);
    begin = comma + 1;
    std::size_t dash = word.find('-');
    int first = 0;
    int end_of_range = 0;
    bool is_range = dash != std::string_view::npos && read_number(word.substr(0, dash), first) &&
                    read_number(word.substr(dash + 1), end_of_range);
    if (!is_range && !read_number(word, first)) {
      devices.has_names = true;
      continue;
    }
    if (!is_range) end_of_range = first;
    devices.has_range = devices.has_range || is_range;
    devices.is_in_order = devices.is_in_order && first > last;
    last = end_of_range;
    for (int card = first; card <= end_of_range; ++card) numbers.insert(card);
  }
  if (devices.has_names) return devices;
  for (int number : numbers) devices.in_order += (devices.in_order.empty() ? "" : ",") + std::to_string(number);
  return devices;
}

base::Text describe_order(const VisibleDevices& devices, const std::string& chip) {
  if (devices.has_names)
    return text("the cards of {} have no such names; \"{}\" hides them", "{} 的加速卡没有这样的名称，“{}”会隐藏它们", chip,
                devices.written);
  if (devices.has_range)
    return text("{} takes cards one by one, not the range \"{}\"", "{} 只接受逐个列出的编号，不接受范围“{}”", chip,
                devices.written);
  if (!devices.is_in_order)
    return text("{} wants the numbers in ascending order, each once; \"{}\" hides cards",
                "{} 要求编号升序且不重复，“{}”会隐藏加速卡", chip, devices.written);
  return {};
}

}  // namespace starbridge::port

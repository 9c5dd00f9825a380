#include "port/files/images.h"

#include <algorithm>

#include "port/versions.h"

namespace starbridge::port {
namespace {

// "8.5.0" of "8.5.0-910b-ubuntu22.04-py3.11"; empty when the tag does not begin with a version.
std::string leading_version(std::string_view tag) {
  std::string_view word = tag.substr(0, tag.find('-'));
  return parse_version(word) ? std::string(word.substr(word.substr(0, 1) == "v" ? 1 : 0)) : std::string();
}

// "3.11" of "...-py3.11-..."; empty when the tag does not say.
std::string python_of(std::string_view tag) {
  std::size_t at = tag.find("-py3.");
  if (at == std::string_view::npos) return "";
  std::size_t end = tag.find_first_not_of("0123456789.", at + 3);
  return std::string(tag.substr(at + 3, end == std::string_view::npos ? end : end - at - 3));
}

}  // namespace

void pin_image(std::string_view image, std::size_t at, Sheet& sheet) {
  if (image.find('$') != std::string_view::npos) return;
  image = image.substr(0, image.find('@'));
  std::size_t slash = image.rfind('/');
  std::string_view last = slash == std::string_view::npos ? image : image.substr(slash + 1);
  std::size_t colon = last.find(':');
  if (colon == std::string_view::npos) return;
  std::string repository = base::to_lower(last.substr(0, colon));
  std::string tag = base::to_lower(last.substr(colon + 1));
  std::string version = leading_version(tag);
  if (repository == "python" && !version.empty()) {
    // "3.11" is the newest patch of 3.11, not 3.11.0.
    bool is_minor = std::count(version.begin(), version.end(), '.') < 2;
    sheet.pin(at, "python", "==" + version + (is_minor ? ".*" : ""));
    return;
  }
  bool is_vendor_image = repository == "cann" || repository == "vllm-ascend";
  if (!is_vendor_image) return;
  if (!version.empty()) sheet.pin(at, repository, "==" + version);
  std::string python = python_of(tag);
  if (!python.empty()) sheet.pin(at, "python", "==" + python + ".*");
}

}  // namespace starbridge::port

#include "weights/pickle_edit.h"

#include <algorithm>
#include <map>

#include "weights/bytes.h"

namespace starbridge::weights {
namespace {

constexpr std::size_t kFrameBytes = 9;

struct Edit {
  std::uint64_t begin;
  std::uint64_t end;
  std::string bytes;
};

// How a node would be pushed where it stands, for those that wishes are about.
std::string encode_node(const Node& node) {
  if (node.kind == NodeKind::kText) return encode_text(node.text);
  if (node.kind == NodeKind::kGlobal) return encode_global(node.text, node.text2);
  SB_CHECK(node.kind == NodeKind::kInteger && node.integer >= 0);
  return encode_number(static_cast<std::uint64_t>(node.integer));
}

// Behind the PUT that may follow a push.
std::uint64_t behind_put(std::string_view text, std::uint64_t at) {
  if (at >= text.size()) return at;
  switch (static_cast<unsigned char>(text[at])) {
    case 0x94:
      return at + 1;
    case 'q':
      return at + 2;
    case 'r':
      return at + 5;
    case 'p':
      return text.find('\n', at) + 1;
    default:
      return at;
  }
}

}  // namespace

std::string encode_text(std::string_view text) {
  std::string bytes = "X";
  append_le(bytes, static_cast<std::uint32_t>(text.size()));
  return bytes + std::string(text);
}

std::string encode_global(std::string_view module, std::string_view name) {
  return "c" + std::string(module) + "\n" + std::string(name) + "\n";
}

std::string encode_number(std::uint64_t value) {
  std::string bytes;
  if (value <= INT32_MAX) {
    bytes = "J";
    append_le(bytes, static_cast<std::int32_t>(value));
  } else {
    bytes = "\x8a\x09";
    append_le(bytes, value);
    bytes += '\0';
  }
  return bytes;
}

std::string edit_pickle(std::string_view text, const Pickle& pickle, const std::vector<Wish>& wishes) {
  if (wishes.empty()) return std::string(text.substr(0, pickle.size));
  std::vector<Edit> edits;
  std::map<std::uint64_t, const Wish*> wished;  // by the place of the push
  std::map<NodeId, std::string> made_as;        // nodes that are now made as something else
  for (const Wish& wish : wishes) wished[wish.site.begin] = &wish;
  for (const auto& [begin, wish] : wished) {
    if (wish->site.is_get) continue;
    if (wish->site.is_simple) {
      edits.push_back({wish->site.begin, wish->site.end, wish->encoded});
      made_as[wish->node] = wish->encoded;
    } else {
      // STACK_GLOBAL takes its words from the stack: what it made is dropped, once the memo has it, and the other pushed.
      std::uint64_t behind = behind_put(text, wish->site.end);
      edits.push_back({behind, behind, "0" + wish->encoded});
    }
  }
  for (const GetSite& get : pickle.gets) {
    auto wish = wished.find(get.site.begin);
    auto made = made_as.find(get.node);
    if (wish == wished.end() && made == made_as.end()) continue;
    std::string wanted = wish != wished.end() ? wish->second->encoded : encode_node(pickle.node(get.node));
    bool is_given = made != made_as.end() && made->second == wanted;
    if (!is_given) edits.push_back({get.site.begin, get.site.end, wanted});
  }
  // Frames promise a number of bytes that no longer holds; they are optional.
  for (std::uint64_t frame : pickle.frames) edits.push_back({frame, frame + kFrameBytes, ""});
  std::sort(edits.begin(), edits.end(), [](const Edit& left, const Edit& right) { return left.begin < right.begin; });
  std::string out;
  std::uint64_t position = 0;
  for (const Edit& edit : edits) {
    SB_CHECK(edit.begin >= position);
    out += text.substr(position, edit.begin - position);
    out += edit.bytes;
    position = edit.end;
  }
  out += text.substr(position, pickle.size - position);
  return out;
}

}  // namespace starbridge::weights

// The parts of PickleMachine that opcodes share: taking text, making and filling nodes, stack, marks and memo.
#include <algorithm>
#include <charconv>

#include "weights/bytes.h"
#include "weights/pickle_machine.h"

namespace starbridge::weights {

using base::Error;
using base::text;

void PickleMachine::push(NodeId id, bool is_get, bool is_simple) {
  if (failed_code_ != nullptr) return;
  if (++push_count_ > kPushesMax || stack_.size() >= kStackMax) {
    fail_at_limit("the pickle puts more on its stack than the limit", "pickle 压栈数量超过上限");
    return;
  }
  Slot slot{id, {opcode_begin_, position_, is_get, is_simple}};
  if (keeps_sites_ && is_simple && !is_get) pickle_.made_at[id] = slot.site;
  stack_.push_back(slot);
}

NodeId PickleMachine::make(NodeKind kind) {
  if (pickle_.nodes.size() >= kNodesMax) {
    fail_at_limit("the pickle holds more objects than the limit", "pickle 中的对象数超过上限");
    return 0;
  }
  pickle_.nodes.emplace_back();
  pickle_.nodes.back().kind = kind;
  return static_cast<NodeId>(pickle_.nodes.size() - 1);
}

NodeId PickleMachine::make_text(NodeKind kind, std::string_view value) {
  NodeId id = make(kind);
  pickle_.nodes[id].text = value;
  return id;
}

void PickleMachine::push_integer(std::int64_t value) {
  if (failed_code_ != nullptr) return;
  NodeId id = make(NodeKind::kInteger);
  pickle_.nodes[id].integer = value;
  push(id, false, true);
}

void PickleMachine::push_long(std::string_view bytes) {
  if (failed_code_ != nullptr) return;
  if (bytes.size() > 8) {
    push(make_text(NodeKind::kBigInteger, bytes), false, false);
    return;
  }
  std::uint64_t value = !bytes.empty() && (bytes.back() & 0x80) != 0 ? ~std::uint64_t{0} : 0;
  for (std::size_t at = bytes.size(); at-- > 0;) value = (value << 8) | static_cast<unsigned char>(bytes[at]);
  push_integer(static_cast<std::int64_t>(value));
}

void PickleMachine::push_decimal(std::string_view digits, bool may_be_bool) {
  if (failed_code_ != nullptr) return;
  digits = base::trim(digits);
  if (may_be_bool && (digits == "00" || digits == "01")) {
    NodeId id = make(NodeKind::kBool);
    pickle_.nodes[id].integer = digits == "01" ? 1 : 0;
    push(id, false, false);
    return;
  }
  std::int64_t value = 0;
  auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (problem == std::errc() && end == digits.data() + digits.size()) {
    push_integer(value);
    return;
  }
  std::string_view rest = !digits.empty() && digits.front() == '-' ? digits.substr(1) : digits;
  bool are_digits = !rest.empty() && rest.find_first_not_of("0123456789") == std::string_view::npos;
  if (!are_digits) {
    fail("a number is malformed", "数字格式有误");
    return;
  }
  NodeId id = make_text(NodeKind::kBigInteger, digits);
  pickle_.nodes[id].is_decimal = true;
  push(id, false, false);
}

void PickleMachine::push_bytes(NodeKind kind, std::uint64_t size) {
  if (failed_code_ != nullptr) return;
  std::string_view bytes = take(size);
  if (failed_code_ != nullptr) return;
  if (kind == NodeKind::kText && !base::is_valid_utf8(bytes)) kind = NodeKind::kBytes;
  push(make_text(kind, bytes), false, kind == NodeKind::kText);
}

void PickleMachine::push_sequence(NodeKind kind, std::size_t count) {
  if (failed_code_ != nullptr) return;
  if (count > stack_.size() || (!marks_.empty() && stack_.size() - count < marks_.back())) {
    fail("the stack is too short", "栈中元素不足");
    return;
  }
  NodeId id = make(kind);
  std::size_t first = stack_.size() - count;
  std::vector<NodeId>& items = pickle_.nodes[id].items;
  items.reserve(count);
  for (std::size_t at = first; at < stack_.size(); ++at) items.push_back(stack_[at].node);
  // Only the tuples of storages and of calls are ever rewritten; they are short.
  constexpr std::size_t kSitesMax = 16;
  if (keeps_sites_ && kind == NodeKind::kTuple && count > 0 && count <= kSitesMax) {
    std::vector<PushSite>& sites = pickle_.tuple_sites[id];
    for (std::size_t at = first; at < stack_.size(); ++at) sites.push_back(stack_[at].site);
    sites.push_back({opcode_begin_, position_, false, false});  // where the tuple itself is closed
  }
  stack_.resize(first);
  push(id, false, false);
}

void PickleMachine::push_dict(std::size_t count) {
  if (count % 2 != 0) {
    fail("a dictionary has a key without a value", "字典中有键无值");
    return;
  }
  push_sequence(NodeKind::kDict, count);
}

void PickleMachine::push_global(std::string_view module, std::string_view name, bool is_simple) {
  if (failed_code_ != nullptr) return;
  NodeId id = make(NodeKind::kGlobal);
  pickle_.nodes[id].text = module;
  pickle_.nodes[id].text2 = name;
  push(id, false, is_simple);
}

void PickleMachine::push_call(NodeId callable, NodeId arguments, NodeId keywords) {
  if (failed_code_ != nullptr) return;
  NodeId id = make(NodeKind::kCall);
  std::vector<NodeId>& items = pickle_.nodes[id].items;
  items = {callable, arguments};
  if (keywords != kNoNode) items.push_back(keywords);
  push(id, false, false);
}

void PickleMachine::push_class_call(NodeId callable, std::size_t count) {
  push_sequence(NodeKind::kTuple, count);
  NodeId arguments = pop();
  push_call(callable, arguments, kNoNode);
}

void PickleMachine::add_items(NodeId container, std::size_t first, bool are_pairs) {
  if (are_pairs && (stack_.size() - first) % 2 != 0) {
    fail("a dictionary has a key without a value", "字典中有键无值");
    return;
  }
  NodeId target = container;
  if (pickle_.node(container).kind == NodeKind::kCall) {
    if (pickle_.node(container).added == kNoNode) {
      NodeId added = make(are_pairs ? NodeKind::kDict : NodeKind::kList);
      if (failed_code_ != nullptr) return;
      pickle_.nodes[container].added = added;
    }
    target = pickle_.node(container).added;
  }
  NodeKind kind = pickle_.node(target).kind;
  bool is_fitting = are_pairs ? kind == NodeKind::kDict
                              : kind == NodeKind::kList || (kind == NodeKind::kSet && !pickle_.node(target).is_frozen);
  if (!is_fitting) {
    fail("items are added to something that takes none", "向不可添加元素的对象添加元素");
    return;
  }
  std::vector<NodeId>& items = pickle_.nodes[target].items;
  for (std::size_t at = first; at < stack_.size(); ++at) items.push_back(stack_[at].node);
}

void PickleMachine::build(NodeId target, NodeId state) {
  if (failed_code_ != nullptr) return;
  // Python would refuse a state on None or a number; here it is merely kept where it can be looked at.
  pickle_.nodes[target].state = state;
}

void PickleMachine::put(std::uint64_t index) {
  NodeId id = top();
  if (failed_code_ != nullptr) return;
  memo_[index] = id;
  if (memo_.size() > kMemoMax) fail_at_limit("the pickle remembers more than the limit", "pickle 备忘条目超过上限");
}

void PickleMachine::get(std::uint64_t index) {
  if (failed_code_ != nullptr) return;
  auto found = memo_.find(index);
  if (found == memo_.end()) {
    fail("a memo entry is used before it is made", "使用了尚未存入的备忘条目");
    return;
  }
  push(found->second, true, true);
  NodeKind kind = pickle_.node(found->second).kind;
  if (keeps_sites_ && (kind == NodeKind::kText || kind == NodeKind::kGlobal || kind == NodeKind::kInteger)) {
    pickle_.gets.push_back({found->second, stack_.back().site});
  }
}

bool PickleMachine::pop_mark(std::size_t& first) {
  if (marks_.empty()) {
    fail("there is no mark on the stack", "栈中没有标记");
    return false;
  }
  first = marks_.back();
  marks_.pop_back();
  return true;
}

NodeId PickleMachine::top() {
  if (failed_code_ != nullptr) return 0;
  if (stack_.empty() || (!marks_.empty() && marks_.back() >= stack_.size())) {
    fail("the stack is empty", "栈为空");
    return 0;
  }
  return stack_.back().node;
}

NodeId PickleMachine::pop() {
  NodeId id = top();
  if (failed_code_ == nullptr) stack_.pop_back();
  return id;
}

std::string_view PickleMachine::take(std::uint64_t count) {
  if (failed_code_ != nullptr) return {};
  if (count > text_.size() - position_) {
    fail("the pickle ends too early", "pickle 过早结束");
    return {};
  }
  std::string_view piece = text_.substr(position_, count);
  position_ += count;
  return piece;
}

std::string_view PickleMachine::take_line() {
  if (failed_code_ != nullptr) return {};
  std::size_t end = text_.find('\n', position_);
  if (end == std::string_view::npos) {
    fail("the pickle ends too early", "pickle 过早结束");
    return {};
  }
  std::string_view line = text_.substr(position_, end - position_);
  position_ = end + 1;
  return line;
}

template <class T>
T PickleMachine::take_number() {
  std::string_view bytes = take(sizeof(T));
  return failed_code_ != nullptr ? T{} : load_le<T>(bytes.data());
}
template std::uint8_t PickleMachine::take_number();
template std::uint16_t PickleMachine::take_number();
template std::uint32_t PickleMachine::take_number();
template std::uint64_t PickleMachine::take_number();
template std::int32_t PickleMachine::take_number();

void PickleMachine::fail(const char* en, const char* zh) {
  if (failed_code_ != nullptr) return;
  failed_code_ = "weights.malformed";
  failed_ = {en, zh};
}

void PickleMachine::fail_at_limit(const char* en, const char* zh) {
  fail(en, zh);
  failed_code_ = "weights.limit";
}

Error PickleMachine::failure() const {
  return Error(failed_code_, text("{} (byte {} of the pickle)", "{}（pickle 第 {} 字节）", failed_.en, opcode_begin_));
}

}  // namespace starbridge::weights

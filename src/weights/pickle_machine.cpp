#include "weights/pickle_machine.h"

#include <bit>
#include <charconv>
#include <cmath>

#include "weights/bytes.h"
#include "weights/pickle_text.h"

namespace starbridge::weights {

using base::Error;
using base::Result;
using base::text;

Result<Pickle> read_pickle(std::string_view bytes, bool keeps_sites) {
  if (bytes.size() > kPickleBytesMax) bytes = bytes.substr(0, kPickleBytesMax);
  return PickleMachine(bytes, keeps_sites).run();
}

Result<Pickle> PickleMachine::run() {
  while (!is_done_) {
    opcode_begin_ = position_;
    std::string_view code_text = take(1);
    if (failed_code_ != nullptr) return failure();
    auto code = static_cast<unsigned char>(code_text[0]);
    bool is_known = push_number(code) || push_text(code) || use_memo(code) || push_container(code) || fill_container(code) ||
                    push_object(code) || move_stack(code);
    if (!is_known) {
      failed_code_ = "weights.malformed";
      failed_ = text("opcode 0x{:02x} is not known", "未知操作码 0x{:02x}", static_cast<unsigned>(code));
    }
    if (failed_code_ != nullptr) return failure();
  }
  pickle_.size = position_;
  return std::move(pickle_);
}

bool PickleMachine::push_number(unsigned char code) {
  switch (code) {
    case 'N':
      push(make(NodeKind::kNone), false, false);
      return true;
    case 0x88:
    case 0x89: {
      NodeId id = make(NodeKind::kBool);
      pickle_.nodes[id].integer = code == 0x88 ? 1 : 0;
      push(id, false, false);
      return true;
    }
    case 'I':
      push_decimal(take_line(), true);
      return true;
    case 'L': {
      std::string_view digits = take_line();
      if (!digits.empty() && digits.back() == 'L') digits.remove_suffix(1);
      push_decimal(digits, false);
      return true;
    }
    case 'J':
      push_integer(take_number<std::int32_t>());
      return true;
    case 'K':
      push_integer(take_number<std::uint8_t>());
      return true;
    case 'M':
      push_integer(take_number<std::uint16_t>());
      return true;
    case 0x8a:
      push_long(take(take_number<std::uint8_t>()));
      return true;
    case 0x8b: {
      auto size = take_number<std::int32_t>();
      if (size < 0) {
        fail("a number has a negative length", "整数长度为负");
      } else {
        push_long(take(static_cast<std::uint64_t>(size)));
      }
      return true;
    }
    case 'F': {
      std::string_view digits = base::trim(take_line());
      NodeId id = make(NodeKind::kFloat);
      if (failed_code_ == nullptr && !parse_pickle_float(digits, pickle_.nodes[id].real)) {
        fail("a number is malformed", "数字格式有误");
      }
      push(id, false, false);
      return true;
    }
    case 'G': {
      std::string_view bytes = take(8);
      if (failed_code_ != nullptr) return true;
      NodeId id = make(NodeKind::kFloat);
      pickle_.nodes[id].real = std::bit_cast<double>(__builtin_bswap64(load_le<std::uint64_t>(bytes.data())));
      push(id, false, false);
      return true;
    }
    default:
      return false;
  }
}

bool PickleMachine::push_text(unsigned char code) {
  switch (code) {
    case 'S': {
      std::string_view line = take_line();
      std::string plain;
      if (failed_code_ == nullptr && !parse_quoted_text(base::trim(line), plain)) {
        fail("a quoted string is malformed", "带引号的字符串有误");
      }
      pickle_.owned.push_back(std::move(plain));
      push(make_text(NodeKind::kText, pickle_.owned.back()), false, true);
      return true;
    }
    case 'V': {
      std::string plain;
      if (!parse_raw_unicode(take_line(), plain)) fail("an escape is malformed", "转义序列有误");
      pickle_.owned.push_back(std::move(plain));
      push(make_text(NodeKind::kText, pickle_.owned.back()), false, true);
      return true;
    }
    case 'X':
      push_bytes(NodeKind::kText, take_number<std::uint32_t>());
      return true;
    case 0x8c:
      push_bytes(NodeKind::kText, take_number<std::uint8_t>());
      return true;
    case 0x8d:
      push_bytes(NodeKind::kText, take_number<std::uint64_t>());
      return true;
    // Python 2's str: text for all that checkpoints hold; what is no UTF-8 is kept as bytes.
    case 'T': {
      auto size = take_number<std::int32_t>();
      if (size < 0) {
        fail("a string has a negative length", "字符串长度为负");
      } else {
        push_bytes(NodeKind::kText, static_cast<std::uint64_t>(size));
      }
      return true;
    }
    case 'U':
      push_bytes(NodeKind::kText, take_number<std::uint8_t>());
      return true;
    case 'B':
      push_bytes(NodeKind::kBytes, take_number<std::uint32_t>());
      return true;
    case 'C':
      push_bytes(NodeKind::kBytes, take_number<std::uint8_t>());
      return true;
    case 0x8e:
    case 0x96:
      push_bytes(NodeKind::kBytes, take_number<std::uint64_t>());
      return true;
    case 0x97: {
      NodeId id = make(NodeKind::kBuffer);
      pickle_.nodes[id].integer = static_cast<std::int64_t>(buffer_count_++);
      push(id, false, false);
      return true;
    }
    case 0x98: {
      NodeId id = top();
      if (failed_code_ == nullptr) pickle_.nodes[id].is_frozen = true;
      return true;
    }
    default:
      return false;
  }
}

bool PickleMachine::push_container(unsigned char code) {
  std::size_t first = 0;
  switch (code) {
    case ')':
      push_sequence(NodeKind::kTuple, 0);
      return true;
    case ']':
      push_sequence(NodeKind::kList, 0);
      return true;
    case '}':
      push_sequence(NodeKind::kDict, 0);
      return true;
    case 0x8f:
      push_sequence(NodeKind::kSet, 0);
      return true;
    case 0x85:
    case 0x86:
    case 0x87:
      push_sequence(NodeKind::kTuple, code - 0x84u);
      return true;
    case 't':
      if (pop_mark(first)) push_sequence(NodeKind::kTuple, stack_.size() - first);
      return true;
    case 'l':
      if (pop_mark(first)) push_sequence(NodeKind::kList, stack_.size() - first);
      return true;
    case 'd':
      if (pop_mark(first)) push_dict(stack_.size() - first);
      return true;
    case 0x91:
      if (pop_mark(first)) {
        push_sequence(NodeKind::kSet, stack_.size() - first);
        if (failed_code_ == nullptr) pickle_.nodes[stack_.back().node].is_frozen = true;
      }
      return true;
    default:
      return false;
  }
}

bool PickleMachine::fill_container(unsigned char code) {
  std::size_t count = code == 'a' ? 1 : code == 's' ? 2 : 0;
  std::size_t first = 0;
  switch (code) {
    case 'a':
    case 's':
      if (stack_.size() < count + 1 || (!marks_.empty() && stack_.size() - count <= marks_.back())) {
        fail("the stack is too short", "栈中元素不足");
        return true;
      }
      first = stack_.size() - count;
      break;
    case 'e':
    case 'u':
    case 0x90:
      if (!pop_mark(first)) return true;
      if (first == 0 || (!marks_.empty() && first <= marks_.back())) {
        fail("the stack is too short", "栈中元素不足");
        return true;
      }
      break;
    default:
      return false;
  }
  add_items(stack_[first - 1].node, first, code == 's' || code == 'u');
  stack_.resize(first);
  return true;
}

bool PickleMachine::push_object(unsigned char code) {
  switch (code) {
    case 'c': {
      std::string_view module = take_line();
      std::string_view name = take_line();
      push_global(module, name, true);
      return true;
    }
    case 0x93: {
      NodeId name = pop();
      NodeId module = pop();
      if (failed_code_ != nullptr) return true;
      if (pickle_.node(name).kind != NodeKind::kText || pickle_.node(module).kind != NodeKind::kText) {
        fail("a global is named by something that is no text", "全局名称不是文本");
        return true;
      }
      push_global(pickle_.node(module).text, pickle_.node(name).text, false);
      return true;
    }
    case 'R':
    case 0x81: {
      NodeId arguments = pop();
      NodeId callable = pop();
      push_call(callable, arguments, kNoNode);
      return true;
    }
    case 0x92: {
      NodeId keywords = pop();
      NodeId arguments = pop();
      NodeId callable = pop();
      push_call(callable, arguments, keywords);
      return true;
    }
    case 'i': {
      std::string_view module = take_line();
      std::string_view name = take_line();
      std::size_t first = 0;
      if (!pop_mark(first)) return true;
      NodeId callable = make(NodeKind::kGlobal);
      pickle_.nodes[callable].text = module;
      pickle_.nodes[callable].text2 = name;
      push_class_call(callable, stack_.size() - first);
      return true;
    }
    case 'o': {
      std::size_t first = 0;
      if (!pop_mark(first)) return true;
      if (first == stack_.size()) {
        fail("an object without a class", "对象缺少类");
        return true;
      }
      NodeId callable = stack_[first].node;
      push_class_call(callable, stack_.size() - first - 1);
      if (failed_code_ != nullptr) return true;
      Slot made = stack_.back();
      stack_.pop_back();
      stack_.back() = made;  // over the class
      return true;
    }
    case 'b': {
      NodeId state = pop();
      NodeId target = top();
      build(target, state);
      return true;
    }
    case 'P':
    case 'Q': {
      NodeId id = code == 'P' ? make_text(NodeKind::kText, take_line()) : pop();
      if (failed_code_ != nullptr) return true;
      NodeId made = make(NodeKind::kPersistent);
      pickle_.nodes[made].items.push_back(id);
      push(made, false, false);
      return true;
    }
    case 0x82:
    case 0x83:
    case 0x84: {
      NodeId id = make(NodeKind::kExtension);
      pickle_.nodes[id].integer = code == 0x82   ? take_number<std::uint8_t>()
                                  : code == 0x83 ? take_number<std::uint16_t>()
                                                 : take_number<std::int32_t>();
      push(id, false, false);
      return true;
    }
    default:
      return false;
  }
}

bool PickleMachine::use_memo(unsigned char code) {
  auto decimal = [&]() -> std::uint64_t {
    std::string_view digits = take_line();
    std::uint64_t index = 0;
    auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (failed_code_ == nullptr && (problem != std::errc() || end != digits.data() + digits.size())) {
      fail("the number of a memo entry is malformed", "备忘条目编号有误");
    }
    return index;
  };
  switch (code) {
    case 'p':
      put(decimal());
      return true;
    case 'q':
      put(take_number<std::uint8_t>());
      return true;
    case 'r':
      put(take_number<std::uint32_t>());
      return true;
    case 0x94:
      put(memo_.size());
      return true;
    case 'g':
      get(decimal());
      return true;
    case 'h':
      get(take_number<std::uint8_t>());
      return true;
    case 'j':
      get(take_number<std::uint32_t>());
      return true;
    default:
      return false;
  }
}

bool PickleMachine::move_stack(unsigned char code) {
  std::size_t first = 0;
  switch (code) {
    case '(':
      if (marks_.size() >= kStackMax)
        fail_at_limit("the pickle puts more on its stack than the limit", "pickle 压栈数量超过上限");
      marks_.push_back(stack_.size());
      return true;
    case '0':
      if (!marks_.empty() && marks_.back() == stack_.size()) {
        marks_.pop_back();
      } else {
        pop();
      }
      return true;
    case '1':
      if (pop_mark(first)) stack_.resize(first);
      return true;
    case '2':
      push(top(), true, false);
      return true;
    case '.':
      pickle_.root = pop();
      is_done_ = true;
      return true;
    case 0x80: {
      auto version = take_number<std::uint8_t>();
      if (version > 5) fail("protocols above 5 are not known", "不支持 5 以上的协议版本");
      pickle_.protocol = version;
      return true;
    }
    case 0x95: {
      pickle_.frames.push_back(opcode_begin_);
      auto size = take_number<std::uint64_t>();
      if (failed_code_ == nullptr && size > text_.size() - position_) fail("a frame reaches beyond the end", "帧超出末尾");
      return true;
    }
    default:
      return false;
  }
}

}  // namespace starbridge::weights

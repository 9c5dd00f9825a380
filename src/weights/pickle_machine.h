// The stack machine of read_pickle. Internal to the room.
#pragma once

#include "weights/pickle.h"

namespace starbridge::weights {

class PickleMachine {
 public:
  PickleMachine(std::string_view text, bool keeps_sites) : text_(text), keeps_sites_(keeps_sites) {}
  base::Result<Pickle> run();

 private:
  // Opcodes by family; each answers whether the opcode was its own. Failures are kept in failure_.
  bool push_number(unsigned char code);
  bool push_text(unsigned char code);
  bool push_container(unsigned char code);
  bool fill_container(unsigned char code);
  bool push_object(unsigned char code);
  bool use_memo(unsigned char code);
  bool move_stack(unsigned char code);

  void push(NodeId id, bool is_get, bool is_simple);
  NodeId make(NodeKind kind);
  NodeId make_text(NodeKind kind, std::string_view text);
  void push_integer(std::int64_t value);
  void push_long(std::string_view bytes);
  void push_decimal(std::string_view digits, bool may_be_bool);
  void push_bytes(NodeKind kind, std::uint64_t size);
  void push_sequence(NodeKind kind, std::size_t count);
  void push_dict(std::size_t count);
  void push_global(std::string_view module, std::string_view name, bool is_simple);
  void push_call(NodeId callable, NodeId arguments, NodeId keywords);
  void push_class_call(NodeId callable, std::size_t count);
  void add_items(NodeId container, std::size_t first, bool are_pairs);
  void build(NodeId target, NodeId state);
  void put(std::uint64_t index);
  void get(std::uint64_t index);

  // Values above the last mark; pops the mark.
  bool pop_mark(std::size_t& first);
  NodeId pop();
  NodeId top();

  std::string_view take(std::uint64_t count);
  std::string_view take_line();
  template <class T>
  T take_number();

  void fail(const char* en, const char* zh);
  void fail_at_limit(const char* en, const char* zh);
  base::Error failure() const;

  std::string_view text_;
  bool keeps_sites_;
  std::uint64_t position_ = 0;
  std::uint64_t opcode_begin_ = 0;
  bool is_done_ = false;
  Pickle pickle_;
  struct Slot {
    NodeId node;
    PushSite site;
  };
  std::vector<Slot> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, NodeId> memo_;
  std::uint64_t buffer_count_ = 0;
  std::size_t push_count_ = 0;
  const char* failed_code_ = nullptr;
  base::Text failed_;
};

}  // namespace starbridge::weights

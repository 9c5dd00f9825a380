// The chip's assembly, as far as public code writes it into BANG C: sync, bits of a register, vector by scalar, chains of fused
// steps.
//   sync;    sync.io; ...
//   findlast1.gpr.b32 dst, src;    findfirst1...
//   OP.scalar.nram.TYPE [dst], [src], value, count;
//   fuse.nram.TYPE [dst], count, [src], .op(value), .op([vector]), ...;
#include <bit>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "emulate/bang/runtime/builtin.h"

namespace starbridge::emulate::bang {

namespace {

struct Text {
  const char* at;
  void skip() {
    while (*at == ' ' || *at == '\t' || *at == '\n' || *at == ',') ++at;
  }
  bool take(char c) {
    skip();
    if (*at != c) return false;
    ++at;
    return true;
  }
  // A word with dots: "fuse.nram.f32".
  std::string word() {
    skip();
    const char* start = at;
    while (std::isalnum(static_cast<unsigned char>(*at)) != 0 || *at == '.' || *at == '_') ++at;
    return {start, at};
  }
  // $N, ${N} or ${N:modifier}: the number of an operand; -1: none here.
  int operand() {
    skip();
    if (*at != '$') return -1;
    ++at;
    const bool is_braced = *at == '{';
    if (is_braced) ++at;
    char* end = nullptr;
    const long number = std::strtol(at, &end, 10);
    at = end;
    if (is_braced) {
      while (*at != '\0' && *at != '}') ++at;
      if (*at == '}') ++at;
    }
    return static_cast<int>(number);
  }
};

int type_of(const std::string& suffix) {
  static const std::pair<const char*, int> names[] = {{"f32", SB_F32}, {"f16", SB_F16}, {"bf16", SB_BF16},
                                                      {"s32", SB_S32}, {"u32", SB_U32}, {"s16", SB_S16},
                                                      {"u16", SB_U16}, {"s8", SB_S8},   {"u8", SB_U8}};
  for (auto [name, type] : names) {
    if (suffix == name) return type;
  }
  return -1;
}

int operation_of(const std::string& name) {
  static const std::pair<const char*, int> names[] = {{"add", SB_ADD},  {"sub", SB_SUB}, {"mul", SB_MUL}, {"div", SB_DIV},
                                                      {"max", SB_MAX},  {"min", SB_MIN}, {"eq", SB_EQ},   {"ne", SB_NE},
                                                      {"lt", SB_LT},    {"le", SB_LE},   {"gt", SB_GT},   {"ge", SB_GE},
                                                      {"and", SB_BAND}, {"or", SB_BOR},  {"xor", SB_BXOR}};
  for (auto [text, operation] : names) {
    if (name == text) return operation;
  }
  return -1;
}

std::vector<std::string> parts_of(const std::string& word) {
  std::vector<std::string> parts(1);
  for (char c : word) {
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

struct Step {
  int operation;
  const void* vector;  // nullptr: the value
  std::uint64_t value;
};

}  // namespace

extern "C" void __sb_bang_assembly(const char* text, const char* kinds, std::uint64_t* words) {
  Builtin builtin{"inline assembly", SB_HERE};
  auto unknown = [&](const std::string& what) {
    refuse(builtin, "the emulated chip does not know \"" + what + "\"", "仿真芯片不支持 \"" + what + "\"");
  };
  Text at{text};
  const auto count = static_cast<int>(std::strlen(kinds));
  auto word_at = [&](int index) {
    if (index < 0 || index >= count) unknown(text);
    return words[index];
  };
  const std::string head = at.word();
  const std::vector<std::string> parts = parts_of(head);
  if (parts[0] == "sync") {
    unsigned pipes = kAllPipes;
    if (parts.size() > 1)
      pipes = parts[1] == "io"        ? bit(Pipe::kIo)
              : parts[1] == "move"    ? bit(Pipe::kMove)
              : parts[1] == "compute" ? bit(Pipe::kCompute)
                                      : kAllPipes;
    if (settings().is_check && current_task() != nullptr) sync_pipes(*current_task(), pipes);
    return;
  }
  if (parts.size() == 3 && parts[1] == "gpr" && parts[2] == "b32" && (parts[0] == "findlast1" || parts[0] == "findfirst1")) {
    const int result = at.operand();
    const auto bits = static_cast<std::uint32_t>(word_at(at.operand()));
    if (result != 0 || kinds[0] != 'o') unknown(head);
    // All ones where no bit is set, as the built-ins of these names give.
    const int place = bits == 0 ? -1 : parts[0] == "findlast1" ? 31 - std::countl_zero(bits) : std::countr_zero(bits);
    words[0] = static_cast<std::uint64_t>(place);
    return;
  }
  const int type = type_of(parts.back());
  if (type < 0) unknown(head);
  auto vector_operand = [&] {
    if (!at.take('[')) unknown(head);
    const int index = at.operand();
    if (!at.take(']')) unknown(head);
    return reinterpret_cast<void*>(word_at(index));
  };
  void* to = vector_operand();
  std::int64_t n = 0;
  const void* from = nullptr;
  std::vector<Step> steps;
  if (parts[0] == "fuse") {
    n = static_cast<std::int64_t>(static_cast<std::int32_t>(word_at(at.operand())));
    from = vector_operand();
    for (at.skip(); *at.at == '.'; at.skip()) {
      const std::string name = at.word().substr(1);
      Step step{operation_of(name), nullptr, 0};
      if (step.operation < 0 || !at.take('(')) unknown(head + " ." + name);
      at.skip();
      if (*at.at == '[')
        step.vector = vector_operand();
      else
        step.value = word_at(at.operand());
      if (!at.take(')')) unknown(head + " ." + name);
      steps.push_back(step);
    }
  } else if (parts.size() >= 3 && parts[1] == "scalar") {
    from = vector_operand();
    const std::uint64_t value = word_at(at.operand());
    steps.push_back({operation_of(parts[0]), nullptr, value});
    if (steps[0].operation < 0) unknown(head);
    n = static_cast<std::int64_t>(static_cast<std::int32_t>(word_at(at.operand())));
  } else {
    unknown(head);
  }
  const int size = kTypeBytes[type];
  if (!check_count(builtin, n, size)) return;
  auto work = [=] {
    const void* source = from;
    for (const Step& step : steps) {
      std::vector<char> repeated(step.vector == nullptr ? static_cast<std::size_t>(n * size) : 0);
      for (std::size_t i = 0; i < repeated.size(); i += static_cast<std::size_t>(size))
        std::memcpy(repeated.data() + i, &step.value, static_cast<std::size_t>(size));
      loops().binary(step.operation, type, to, source, step.vector == nullptr ? repeated.data() : step.vector, n);
      source = to;
    }
  };
  // At most three vectors take part in a chain of public code; further ones are carried out unchecked.
  std::vector<const void*> vectors;
  for (const Step& step : steps) {
    if (step.vector != nullptr) vectors.push_back(step.vector);
  }
  vectors.resize(2, from);
  perform(builtin,
          {writes("dst", to, n * size), reads("src0", from, n * size), reads("src1", vectors[0], n * size),
           reads("src2", vectors[1], n * size)},
          work, [=] {
            flow_elements(to, size, n, {{from, size}, {vectors[0], size}, {vectors[1], size}});
          });
}

}  // namespace starbridge::emulate::bang

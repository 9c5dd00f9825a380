#include "front/node.h"

#include <algorithm>
#include <array>

namespace starbridge::front {

namespace {

constexpr int kDepthMax = 2000;  // deeper text is refused, so that a damaged file cannot exhaust the stack

void print_word(const std::string& word, std::string& out) {
  out += '"';
  for (char c : word) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    out += c;
  }
  out += '"';
}

void print_at(const Tree& tree, int depth, std::string& out) {
  out += '(' + tree->op;
  if (!tree->type.empty()) out += ':' + tree->type;
  if (!tree->name.empty()) {
    out += ' ';
    print_word(tree->name, out);
  }
  if (!tree->extra.empty()) {
    out += " /";
    print_word(tree->extra, out);
  }
  if (tree->line > 0) out += " @" + std::to_string(tree->line);
  for (const Tree& child : tree->args) {
    if (is_statement(child->op))
      out += '\n' + std::string(static_cast<std::size_t>(depth + 1) * 2, ' ');
    else
      out += ' ';
    print_at(child, depth + 1, out);
  }
  out += ')';
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Tree tree(int depth) {
    skip();
    if (depth > kDepthMax) return fail("nested too deeply");
    if (!take('(')) return fail("( expected");
    auto node = std::make_shared<Node>();
    node->op = atom();
    if (node->op.empty()) return fail("a name expected after (");
    if (take(':')) node->type = atom();
    for (;;) {
      skip();
      if (at_ >= text_.size()) return fail("the text ends inside a node");
      if (take(')')) return node;
      if (text_[at_] == '"') {
        if (!word(node->name)) return nullptr;
      } else if (take('/')) {
        if (!word(node->extra)) return nullptr;
      } else if (take('@')) {
        node->line = std::atoi(atom().c_str());
      } else {
        Tree child = tree(depth + 1);
        if (child == nullptr) return nullptr;
        node->args.push_back(std::move(child));
      }
    }
  }
  bool at_end() {
    skip();
    return at_ == text_.size();
  }
  Tree fail(const std::string& why) {
    if (why_.empty())
      why_ = "line " + std::to_string(1 + std::count(text_.begin(), text_.begin() + static_cast<long>(at_), '\n')) + ": " + why;
    return nullptr;
  }
  const std::string& why() const { return why_; }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string atom() {
    std::size_t begin = at_;
    while (at_ < text_.size() && (isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  bool word(std::string& to) {
    if (!take('"')) return fail("\" expected") != nullptr;
    to.clear();
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        ++at_;
        to += text_[at_] == 'n' ? '\n' : text_[at_];
      } else {
        to += text_[at_];
      }
      ++at_;
    }
    return take('"') || fail("a word without end") != nullptr;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string why_;
};

}  // namespace

Tree make(std::string op, std::string type, std::string name, std::vector<Tree> args) {
  auto node = std::make_shared<Node>();
  node->op = std::move(op);
  node->type = std::move(type);
  node->name = std::move(name);
  node->args = std::move(args);
  return node;
}

Tree constant(std::string type, long long value) { return make("const", std::move(type), std::to_string(value)); }

Tree copy(const Tree& tree) {
  auto node = std::make_shared<Node>(*tree);
  for (Tree& child : node->args) child = copy(child);
  return node;
}

std::string print(const Tree& tree) {
  std::string out;
  print_at(tree, 0, out);
  return out + '\n';
}

std::optional<Tree> read(std::string_view text, std::string* why) {
  Reader reader(text);
  Tree tree = reader.tree(0);
  if (tree != nullptr && !reader.at_end()) tree = reader.fail("text after the last node");
  if (tree == nullptr) {
    *why = reader.why();
    return std::nullopt;
  }
  return tree;
}

bool is_statement(std::string_view op) {
  static constexpr std::array words = {"seq",   "set",    "store",   "if",     "loop",   "break",  "continue",
                                       "leave", "block",  "barrier", "warp",   "atomic", "kernel", "parameter",
                                       "array", "symbol", "launch",  "remove", "refuse"};
  return std::find(words.begin(), words.end(), op) != words.end();
}

int type_bytes(std::string_view type) {
  if (type == "i64" || type == "u64" || type == "f64") return 8;
  if (type == "i16" || type == "u16" || type == "f16" || type == "bf16") return 2;
  if (type == "i8" || type == "u8" || type == "b") return 1;
  return 4;
}

bool is_float(std::string_view type) { return type == "f32" || type == "f64" || type == "f16" || type == "bf16"; }

}  // namespace starbridge::front

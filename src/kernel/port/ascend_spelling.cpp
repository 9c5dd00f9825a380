#include "kernel/port/ascend_spelling.h"

#include <cctype>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <vector>

namespace starbridge::kernel::port {

namespace {

const std::set<std::string> kTypes = {"signed char",  "unsigned char", "short",    "unsigned short", "int",
                                      "unsigned int", "int64_t",       "uint64_t", "half",           "bfloat16_t",
                                      "float",        "bool",          "char"};

bool is_name_char(char c) { return isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Functions of one value; the scalar unit has none of them.
const std::set<std::string>& functions() {
  static const std::set<std::string> names = {"exp",   "exp2", "log",  "log2", "log10", "log1p", "expm1",   "tanh",  "sin",
                                              "cos",   "tan",  "sinh", "cosh", "asin",  "acos",  "atan",    "asinh", "acosh",
                                              "atanh", "erf",  "erfc", "sqrt", "floor", "ceil",  "trunc",   "rint",  "pow",
                                              "fabs",  "fmax", "fmin", "fma",  "fmod",  "round", "copysign"};
  return names;
}
// What the C library has and neither the chip nor the support header.
const std::set<std::string>& foreign_functions() {
  static const std::set<std::string> names = {
      "cbrtf",   "hypotf",  "tgammaf", "lgammaf", "remainderf", "nextafterf", "ldexpf",     "frexpf", "modff",    "atan2f",
      "erfinvf", "j0f",     "j1f",     "scalbnf", "logbf",      "ilogbf",     "nearbyintf", "fdimf",  "normcdff", "exp10f",
      "rcbrtf",  "sincosf", "sinpif",  "cospif",  "erfcinvf",   "erfcxf",     "lrintf",     "lroundf"};
  return names;
}

struct Speller {
  Emitted& emitted;
  const AscendCore& core;
  bool needs_one_core = false;
  std::string unknown;  // the first operation without a counterpart
  int line_of_unknown = 0, last_line = 0;

  void refuse(const std::string& name) {
    if (!unknown.empty()) return;
    unknown = name;
    line_of_unknown = last_line;
  }

  // The pointer type that ends at `star`, or empty. `begin` gets where it starts.
  static std::string type_before(const std::string& text, std::size_t star, std::size_t& begin) {
    std::size_t from = star;
    while (from > 0 && (is_name_char(text[from - 1]) || text[from - 1] == ' ')) --from;
    std::string words = text.substr(from, star - from);
    const std::size_t start = words.find_first_not_of(' ');
    if (start == std::string::npos) return "";
    begin = from + start;
    words = words.substr(start);
    while (!words.empty() && words.back() == ' ') words.pop_back();
    if (words.rfind("const ", 0) == 0) words = words.substr(6);
    return kTypes.count(words) > 0 ? words : "";
  }

  // (float*) becomes a place of such elements.
  static std::string casts(std::string line) {
    for (std::size_t star = 0; (star = line.find("*)", star)) != std::string::npos;) {
      std::size_t begin = 0;
      const std::string type = type_before(line, star, begin);
      if (type.empty() || begin == 0 || line[begin - 1] != '(') {
        ++star;
        continue;
      }
      const std::string instead = "port::At<" + type + ">";
      line.replace(begin, star + 1 - begin, instead);
      star = begin + instead.size();
    }
    return line;
  }

  std::string names(const std::string& line) {
    std::string out;
    for (std::size_t i = 0; i < line.size();) {
      if (line.compare(i, 2, "//") == 0) return out + line.substr(i);
      if (!is_name_char(line[i]) || isdigit(static_cast<unsigned char>(line[i])) != 0) {
        if (isdigit(static_cast<unsigned char>(line[i])) != 0) {
          while (i < line.size() && (is_name_char(line[i]) || line[i] == '.')) out += line[i++];
        } else {
          out += line[i++];
        }
        continue;
      }
      std::size_t end = i;
      while (end < line.size() && is_name_char(line[end])) ++end;
      const std::string name = line.substr(i, end - i);
      const bool is_called = end < line.size() && line[end] == '(';
      const bool is_qualified = out.size() > 1 && out.compare(out.size() - 2, 2, "::") == 0;
      out += is_qualified ? name : spelled(name, is_called, line, end);
      i = end;
    }
    return out;
  }

  std::string spelled(const std::string& name, bool is_called, const std::string& line, std::size_t& end) {
    if (name == "taskId") return "AscendC::GetBlockIdx()";
    if (name == "taskDim") return "AscendC::GetBlockNum()";
    if (name == "__memcpy") return "port::copy";
    if (name.rfind("__bang_", 0) == 0) return built_in(name.substr(7), line, end);
    if (name.rfind("__builtin_", 0) == 0) return name;
    if (name.rfind("__", 0) == 0) refuse(name);
    if (!is_called) return name;
    if (foreign_functions().count(name) > 0) refuse(name);
    if (name.back() == 'f' && functions().count(name.substr(0, name.size() - 1)) > 0) {
      const bool is_empty = line.compare(end, 2, "()") == 0;
      ++end;
      static const std::set<std::string> exact = {"fabsf", "floorf", "ceilf", "truncf", "fmaxf", "fminf", "copysignf"};
      if (exact.count(name) == 0) emitted.approximates = true;
      return "port::scalar_" + name.substr(0, name.size() - 1) + "(core" + (is_empty ? "" : ", ");
    }
    return name;
  }

  std::string built_in(const std::string& name, const std::string& line, std::size_t end) {
    static const std::set<std::string> same = {"write_value",
                                               "add",
                                               "sub",
                                               "mul",
                                               "div",
                                               "add_scalar",
                                               "sub_scalar",
                                               "mul_scalar",
                                               "band",
                                               "bor",
                                               "bxor",
                                               "sqrt",
                                               "exp",
                                               "pow2",
                                               "log",
                                               "log2",
                                               "tanh",
                                               "sin",
                                               "cos",
                                               "abs",
                                               "floor",
                                               "ceil",
                                               "trunc",
                                               "rsqrt",
                                               "recip",
                                               "maxequal",
                                               "minequal",
                                               "lt",
                                               "le",
                                               "gt",
                                               "ge",
                                               "eq",
                                               "ne",
                                               "maskmove",
                                               "int322float_rn",
                                               "float2int32_tz",
                                               "half2float",
                                               "float2half_rn",
                                               "sum"};
    static const std::map<std::string, std::string> others = {{"and", "mask_and"}, {"or", "mask_or"}, {"not", "mask_not"}};
    if (same.count(name) > 0) return "port::" + name;
    if (auto found = others.find(name); found != others.end()) return "port::" + found->second;
    const std::string reduce = "atomic_reduce_";
    if (name.rfind(reduce, 0) == 0) {
      const std::string how = name.substr(reduce.size());
      // The chip adds words whatever their sign, and compares signed ones.
      const bool is_signed = line.find("(unsigned int)", end) == std::string::npos;
      if (how == "add" || ((how == "max" || how == "min") && is_signed)) return "port::" + name;
      needs_one_core = true;
      return "port::alone_" + how;
    }
    if (name.rfind("atomic_", 0) == 0) {
      needs_one_core = true;
      return "port::" + name;
    }
    refuse("__bang_" + name);
    return "port::" + name;
  }

  // `  __nram__ float tile[kThreads];`
  static std::string tile(const std::string& line) {
    const std::size_t word = line.find("__nram__ "), open = line.find('['), close = line.rfind(']');
    std::size_t name = open;
    while (name > 0 && is_name_char(line[name - 1])) --name;
    const std::string type = line.substr(word + 9, name - word - 10);
    return line.substr(0, word) + "port::At<" + type + "> " + line.substr(name, open - name) + " = core.tile<" + type + ">(" +
           line.substr(open + 1, close - open - 1) + ");";
  }

  // `__mlu_entry__ void kernel(const float* a, int n) {`: pointers come as addresses of GM.
  static std::string head(const std::string& line, std::string& places) {
    const std::size_t open = line.find('(');
    std::string list = line.substr(open + 1, line.rfind(')') - open - 1), out;
    std::stringstream parts(list);
    for (std::string each; std::getline(parts, each, ',');) {
      if (const std::size_t star = each.find('*'); star != std::string::npos) {
        std::size_t begin = 0;
        const std::string type = type_before(each, star, begin), name = each.substr(star + 2);
        places += "  port::At<" + type + "> " + name + " = core.global<" + type + ">(" + name + "_in_gm);\n";
        each = std::string(out.empty() ? "" : " ") + "GM_ADDR " + name + "_in_gm";
      }
      out += (out.empty() ? "" : ",") + each;
    }
    const std::size_t name = line.find("void ");
    return "__global__ __aicore__ " + line.substr(name, open + 1 - name) + out + ") {";
  }

  // The launcher is host code: only its launch and what it hands over change.
  static std::string launch_line(std::string line, const std::string& kernel) {
    if (const std::size_t at = line.find("<<<"); at != std::string::npos) {
      const std::size_t end = line.find(">>>");
      line.replace(at, end - at, "<<<port::tasks(at, " + kernel + "_tuning::kCores), nullptr, at.queue");
      for (std::size_t star = line.find(">>>"); (star = line.find("*)", star)) != std::string::npos;) {
        std::size_t begin = 0;
        if (type_before(line, star, begin).empty() || begin == 0 || line[begin - 1] != '(') {
          ++star;
          continue;
        }
        line.replace(begin, star + 1 - begin, "GM_ADDR");
      }
    }
    return line;
  }

  static void drop(std::string& line, const std::string& what) {
    for (std::size_t at; (at = line.find(what)) != std::string::npos;) line.erase(at, what.size());
  }

  void run() {
    std::stringstream lines(emitted.text);
    std::string out, kernel, after_head;
    enum { kBefore, kInside, kLauncher } where = kBefore;
    for (std::string line; std::getline(lines, line);) {
      for (const char* way : {", GDRAM2NRAM", ", NRAM2GDRAM", ", NRAM2NRAM", ", GDRAM2GDRAM"}) drop(line, way);
      if (const std::size_t at = line.find("// line "); at != std::string::npos) last_line = std::atoi(line.c_str() + at + 8);
      if (where == kBefore && line.rfind("namespace ", 0) == 0) kernel = line.substr(10, line.find("_tuning") - 10);
      if (line.rfind("}  // namespace", 0) == 0) out += "@cores@";
      if (line.rfind("__mlu_entry__", 0) == 0) {
        where = kInside;
        out += head(line, after_head) + "\n";
        continue;
      }
      if (where == kInside && line.find("using namespace") != std::string::npos) {
        out += line + "\n  port::Core core;\n  core.begin(" + std::to_string(core.ub_bytes) + ");\n" + after_head;
        continue;
      }
      if (where == kInside && line.find("__nram__ ") != std::string::npos) {
        out += tile(line) + "\n";
        continue;
      }
      if (where == kInside && line == "}") where = kLauncher;
      if (where == kLauncher)
        out += launch_line(line, kernel);
      else if (where == kInside)
        out += names(casts(line));
      else
        out += nram_said_ub(line);
      out += "\n";
    }
    const std::string cores =
        needs_one_core
            ? "constexpr unsigned int kCores = 1;  // atomics with old values: the chip has none, one core runs all blocks\n"
            : "constexpr unsigned int kCores = " + std::to_string(core.vector_cores) + ";  // vector cores to use; 1 to " +
                  std::to_string(core.vector_cores) + "\n";
    if (const std::size_t at = out.find("@cores@"); at != std::string::npos) out.replace(at, 7, cores);
    emitted.text = out;
    if (unknown.empty()) return;
    emitted.refusal = "call:" + unknown;
    emitted.refusal_line = line_of_unknown;
  }
  static std::string nram_said_ub(std::string line) {
    for (std::size_t at = 0; (at = line.find("NRAM", at)) != std::string::npos;) line.replace(at, 4, "UB");
    return line;
  }
};

}  // namespace

void spell_in_ascend_c(Emitted& emitted, const AscendCore& core) {
  if (!emitted.refusal.empty()) return;
  Speller speller{emitted, core};
  speller.run();
}

}  // namespace starbridge::kernel::port

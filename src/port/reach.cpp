#include "port/reach.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>

#include "port/python/modules.h"

namespace starbridge::port {
namespace {

using base::text;

// A name that more functions bear says too little about which of them is called.
constexpr std::size_t kNamesakesMax = 3;

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }
std::string folder_of(const std::string& path) {
  std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

}  // namespace

bool is_test_path(const std::string& path) {
  std::string name = file_name(path);
  bool is_named = name.rfind("test_", 0) == 0 || name == "conftest.py" ||
                  (name.size() > 8 && name.compare(name.size() - 8, 8, "_test.py") == 0);
  return is_named || path.rfind("tests/", 0) == 0 || path.rfind("test/", 0) == 0 || path.find("/tests/") != std::string::npos ||
         path.find("/test/") != std::string::npos;
}

namespace {

class ReachFinder {
 public:
  explicit ReachFinder(const ReachInput& input) : input_(input), modules_(input.paths), reached_(input.paths.size()) {
    for (std::size_t file = 0; file < input_.paths.size(); ++file) {
      numbers_.emplace(input_.paths[file], file);
      if (input_.outlines[file]->changes_path) modules_.note_path_change(static_cast<int>(file));
    }
  }

  std::vector<Reached> find() {
    link();
    std::vector<std::size_t> programs;
    std::vector<std::size_t> scripts;
    std::vector<std::size_t> tests;
    std::vector<std::size_t> builds;
    std::set<std::size_t> started = started_files();
    for (std::size_t file = 0; file < input_.paths.size(); ++file) {
      const std::string& path = input_.paths[file];
      const python::Outline& outline = *input_.outlines[file];
      if (is_test_path(path)) {
        tests.push_back(file);
      } else if (file_name(path) == "setup.py") {
        builds.push_back(file);
      } else if (outline.has_main || file_name(path) == "__main__.py" || started.count(file) > 0) {
        programs.push_back(file);
      } else if (is_plain_script(file)) {
        scripts.push_back(file);
      }
    }
    spread(programs, Reach::kProgram);
    spread(scripts, Reach::kProgram);
    bool has_program = !programs.empty() || !scripts.empty();
    spread(tests, Reach::kTest);
    spread(builds, Reach::kBuild);
    for (Reached& file : reached_) {
      // A library without a program is there to be imported by others.
      if (file.reach == Reach::kUnknown && has_program) file.reach = Reach::kNone;
    }
    find_hot_lines();
    spread_16_bit();
    return std::move(reached_);
  }

 private:
  void link() {
    imports_.resize(input_.paths.size());
    is_imported_.assign(input_.paths.size(), false);
    for (std::size_t file = 0; file < input_.paths.size(); ++file) {
      for (const std::string& dotted : input_.outlines[file]->imports) {
        bool is_star = dotted.size() > 2 && dotted.compare(dotted.size() - 2, 2, ".*") == 0;
        std::string path = is_star ? dotted.substr(0, dotted.size() - 2) : dotted;
        std::optional<python::Modules::Target> target = modules_.resolve(static_cast<int>(file), path);
        if (!target) continue;
        add(file, static_cast<std::size_t>(target->file));
        // Python runs the packages on the way.
        const std::string& to = input_.paths[static_cast<std::size_t>(target->file)];
        for (std::string folder = folder_of(to); !folder.empty(); folder = folder_of(folder.substr(0, folder.size() - 1))) {
          auto package = numbers_.find(folder + "__init__.py");
          if (package != numbers_.end()) add(file, package->second);
        }
      }
    }
  }
  void add(std::size_t from, std::size_t to) {
    if (from == to) return;
    imports_[from].push_back(to);
    if (!is_test_path(input_.paths[from])) is_imported_[to] = true;
  }

  std::set<std::size_t> started_files() const {
    std::set<std::size_t> files;
    for (const auto& [place, word] : input_.commands) {
      bool is_path = word.size() > 3 && word.compare(word.size() - 3, 3, ".py") == 0;
      if (!is_path) {
        std::optional<python::Modules::Target> target = modules_.resolve(0, word);
        if (target) files.insert(static_cast<std::size_t>(target->file));
        continue;
      }
      std::string path = word.rfind("./", 0) == 0 ? word.substr(2) : word;
      for (const std::string& folder : {folder_of(place), std::string()}) {
        auto found = numbers_.find(folder + path);
        if (found == numbers_.end()) continue;
        files.insert(found->second);
        break;
      }
    }
    return files;
  }

  // A file that does something when it is run, and that nobody imports: a script without the customary test.
  bool is_plain_script(std::size_t file) const {
    return input_.outlines[file]->does_something && !is_imported_[file] && file_name(input_.paths[file]) != "__init__.py" &&
           numbers_.count(folder_of(input_.paths[file]) + "__init__.py") == 0;
  }

  void spread(const std::vector<std::size_t>& sources, Reach reach) {
    std::deque<std::size_t> waiting;
    auto take = [&](std::size_t file, const std::string& from) {
      if (reached_[file].reach != Reach::kUnknown) return;
      reached_[file].reach = reach;
      reached_[file].from = from;
      waiting.push_back(file);
    };
    for (std::size_t file : sources) take(file, input_.paths[file]);
    while (!waiting.empty()) {
      std::size_t file = waiting.front();
      waiting.pop_front();
      for (std::size_t next : imports_[file]) take(next, reached_[file].from);
    }
  }

  // A file that asks for it computes in it and hands it to what it calls; one that imports such a file gets tensors from there,
  // and hands them on. Further up they are taken for what is kept in 32 bit: losses and statistics.
  void spread_16_bit() {
    std::vector<std::size_t> waiting;
    auto take = [&](std::size_t file) {
      if (reached_[file].may_run_in_16_bit) return;
      reached_[file].may_run_in_16_bit = true;
      waiting.push_back(file);
    };
    for (std::size_t file = 0; file < input_.asks_for_16_bit.size(); ++file) {
      bool asks = input_.asks_for_16_bit[file] || std::any_of(imports_[file].begin(), imports_[file].end(),
                                                              [&](std::size_t next) { return input_.asks_for_16_bit[next]; });
      if (asks) take(file);
    }
    while (!waiting.empty()) {
      std::size_t file = waiting.back();
      waiting.pop_back();
      for (std::size_t next : imports_[file]) take(next);
    }
  }

  struct PartId {
    std::size_t file;
    std::size_t part;
  };

  void find_hot_lines() {
    std::unordered_map<python::Outline::Name, std::vector<PartId>> functions;
    std::vector<PartId> waiting;
    std::vector<std::vector<bool>> is_hot(input_.outlines.size());
    for (std::size_t file = 0; file < input_.outlines.size(); ++file) {
      const auto& parts = input_.outlines[file]->parts;
      is_hot[file].assign(parts.size(), false);
      for (std::size_t part = 0; part < parts.size(); ++part) {
        if (parts[part].name != 0) functions[parts[part].name].push_back({file, part});
        if (!parts[part].is_step) continue;
        is_hot[file][part] = true;
        waiting.push_back({file, part});
      }
    }
    while (!waiting.empty()) {
      PartId hot = waiting.back();
      waiting.pop_back();
      for (python::Outline::Name name : input_.outlines[hot.file]->parts[hot.part].calls) {
        auto found = functions.find(name);
        if (found == functions.end() || found->second.size() > kNamesakesMax) continue;
        for (const PartId& called : found->second) {
          if (is_hot[called.file][called.part]) continue;
          is_hot[called.file][called.part] = true;
          waiting.push_back(called);
        }
      }
    }
    for (std::size_t file = 0; file < is_hot.size(); ++file) {
      std::vector<std::pair<int, int>>& lines = reached_[file].hot_lines;
      for (std::size_t part = 0; part < is_hot[file].size(); ++part) {
        if (!is_hot[file][part]) continue;
        const python::Outline::Part& each = input_.outlines[file]->parts[part];
        if (!lines.empty() && each.begin_line <= lines.back().second + 1) {
          lines.back().second = std::max(lines.back().second, each.end_line);
        } else {
          lines.emplace_back(each.begin_line, each.end_line);
        }
      }
    }
  }

  const ReachInput& input_;
  python::Modules modules_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::vector<std::size_t>> imports_;
  std::vector<bool> is_imported_;  // by other than tests
  std::vector<Reached> reached_;
};

bool is_path_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' ||
         c == '/';
}

}  // namespace

std::string_view to_string(Reach reach) {
  switch (reach) {
    case Reach::kUnknown:
      return "unknown";
    case Reach::kProgram:
      return "program";
    case Reach::kTest:
      return "test";
    case Reach::kBuild:
      return "build";
    case Reach::kNone:
      return "none";
  }
  return "unknown";
}

base::Text describe(Reach reach) {
  switch (reach) {
    case Reach::kUnknown:
      return text("not known", "未知");
    case Reach::kProgram:
      return text("a program leads there", "程序可到达");
    case Reach::kTest:
      return text("only tests lead there", "仅测试可到达");
    case Reach::kBuild:
      return text("only the build leads there", "仅构建可到达");
    case Reach::kNone:
      return text("no import in the tree leads there", "项目内无导入可到达");
  }
  return {};
}

bool Reached::is_hot(int line) const {
  auto after = std::upper_bound(hot_lines.begin(), hot_lines.end(), line,
                                [](int wanted, const std::pair<int, int>& lines) { return wanted < lines.first; });
  return after != hot_lines.begin() && std::prev(after)->second >= line;
}

std::vector<Reached> find_reach(const ReachInput& input) { return ReachFinder(input).find(); }

std::vector<std::string> command_words(std::string_view text) {
  std::vector<std::string> words;
  auto word_at = [&](std::size_t begin) {
    std::size_t end = begin;
    while (end < text.size() && is_path_letter(text[end])) ++end;
    return std::string(text.substr(begin, end - begin));
  };
  for (std::size_t at = text.find(".py"); at != std::string_view::npos; at = text.find(".py", at + 3)) {
    if (at + 3 < text.size() && is_path_letter(text[at + 3])) continue;
    std::size_t begin = at;
    while (begin > 0 && is_path_letter(text[begin - 1])) --begin;
    if (begin < at) words.emplace_back(text.substr(begin, at + 3 - begin));
  }
  for (std::size_t at = text.find("-m "); at != std::string_view::npos; at = text.find("-m ", at + 3)) {
    std::string word = word_at(at + 3);
    if (!word.empty()) words.push_back(std::move(word));
  }
  for (std::size_t at = text.find(':'); at != std::string_view::npos; at = text.find(':', at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && is_path_letter(text[begin - 1])) --begin;
    bool is_module = begin < at && at + 1 < text.size() && is_path_letter(text[at + 1]) &&
                     text.substr(begin, at - begin).find('.') != std::string_view::npos;
    if (is_module) words.emplace_back(text.substr(begin, at - begin));
  }
  return words;
}

}  // namespace starbridge::port

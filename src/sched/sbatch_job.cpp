// The Slurm dialect: #SBATCH lines before the first command, as sbatch(1) of Slurm 22.05 reads them, and lines of the same shape
// that begin with #STARBRIDGE for what Slurm has no word for.
#include <algorithm>
#include <functional>
#include <map>

#include "sched/job.h"

namespace starbridge::sched {
namespace {

using base::Error;
using base::text;

struct Option {
  std::string name;  // long name, without dashes
  std::string value;
  int line = 0;
  int column = 0;
};

// Short options of sbatch that take a value, and their long names.
const std::map<char, std::string>& short_options() {
  static const std::map<char, std::string> names = {
      {'J', "job-name"}, {'N', "nodes"}, {'n', "ntasks"},     {'t', "time"},       {'G', "gpus"},          {'o', "output"},
      {'e', "error"},    {'D', "chdir"}, {'p', "partition"},  {'A', "account"},    {'c', "cpus-per-task"}, {'a', "array"},
      {'w', "nodelist"}, {'q', "qos"},   {'d', "dependency"}, {'C', "constraint"}, {'x', "exclude"},       {'L', "licenses"}};
  return names;
}

// Options that say nothing StarBridge decides on; they are accepted so that scripts run unchanged.
bool is_ignored(const std::string& name) {
  static const std::vector<std::string> ignored = {"output",
                                                   "error",
                                                   "partition",
                                                   "account",
                                                   "qos",
                                                   "cpus-per-task",
                                                   "mem",
                                                   "mem-per-cpu",
                                                   "mem-per-gpu",
                                                   "exclusive",
                                                   "mail-type",
                                                   "mail-user",
                                                   "requeue",
                                                   "no-requeue",
                                                   "open-mode",
                                                   "signal",
                                                   "comment",
                                                   "wckey",
                                                   "parsable",
                                                   "cpus-per-gpu",
                                                   "gpu-bind",
                                                   "hint",
                                                   "threads-per-core",
                                                   "nodelist",
                                                   "exclude",
                                                   "constraint",
                                                   "licenses",
                                                   "overcommit",
                                                   "cores-per-socket",
                                                   "distribution",
                                                   "gres-flags",
                                                   "reservation",
                                                   "nice",
                                                   "priority",
                                                   "verbose",
                                                   "quiet"};
  return std::find(ignored.begin(), ignored.end(), name) != ignored.end();
}

class SbatchReader {
 public:
  SbatchReader(std::string_view content, const std::string& path, const catalog::Catalog& catalog)
      : content_(content), path_(path), catalog_(catalog) {}

  base::Result<JobSpec> read() {
    SB_TRY_VOID(split_script());
    for (const Option& option : options_) SB_TRY_VOID(take(option));
    SB_TRY_VOID(count_cards());
    return finish_job(std::move(job_), path_);
  }

 private:
  base::Error refuse(const Option& option, base::Text message) const {
    return Error("base.wrong_field", std::move(message)).at({path_, option.line, option.column, "--" + option.name});
  }
  Error with_place(const Error& error, const Option& option) const {
    return Error(error.code(), error.message())
        .at({path_, option.line, option.column, "--" + option.name})
        .next(error.next_step());
  }

  // Directives count until the first line that is neither blank nor a comment; the script keeps every other line.
  base::Status split_script() {
    bool in_head = true;
    int number = 0;
    std::string_view rest = content_;
    while (!rest.empty()) {
      ++number;
      std::size_t end = rest.find('\n');
      std::string_view line = rest.substr(0, end);
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      std::string_view trimmed = base::trim(line);
      bool is_directive = false;
      for (std::string_view prefix : {std::string_view("#SBATCH"), std::string_view("#STARBRIDGE")}) {
        if (line.substr(0, prefix.size()) != prefix ||
            (line.size() > prefix.size() && line[prefix.size()] != ' ' && line[prefix.size()] != '\t'))
          continue;
        is_directive = true;
        if (in_head) SB_TRY_VOID(read_directive(line.substr(prefix.size()), number, static_cast<int>(prefix.size())));
      }
      if (is_directive) continue;
      if (number == 1 && line.substr(0, 2) == "#!") {
        shebang_ = std::string(base::trim(line.substr(2)));
        continue;
      }
      if (!trimmed.empty() && trimmed[0] != '#') in_head = false;
      if (!in_head || !trimmed.empty()) body_ += std::string(line) + "\n";
    }
    // Comments alone are no command.
    bool has_command = false;
    std::string_view body = body_;
    while (!body.empty()) {
      std::string_view line = base::trim(body.substr(0, body.find('\n')));
      has_command = has_command || (!line.empty() && line[0] != '#');
      body = body.substr(std::min(body.size(), body.find('\n') + 1));
    }
    job_.script = has_command ? strip_comments_at_start(body_) : "";
    return {};
  }

  // Leading comment lines are dropped, so that the same command in another dialect is the same text.
  static std::string strip_comments_at_start(std::string body) {
    while (!body.empty() && body[0] == '#') body.erase(0, body.find('\n') + 1);
    while (!body.empty() && body.back() == '\n') body.pop_back();
    return body;
  }

  base::Status read_directive(std::string_view words, int line, int offset) {
    std::size_t at = 0;
    while (true) {
      at = words.find_first_not_of(" \t", at);
      if (at == std::string_view::npos || words[at] == '#') return {};
      int column = offset + static_cast<int>(at) + 1;
      std::string word = take_word(words, at);
      Option option{"", "", line, column};
      if (word.substr(0, 2) == "--") {
        std::size_t equals = word.find('=');
        option.name = word.substr(2, equals == std::string::npos ? std::string::npos : equals - 2);
        if (equals != std::string::npos) option.value = word.substr(equals + 1);
        if (equals == std::string::npos && takes_value(option.name)) option.value = next_word(words, at);
      } else if (word.size() >= 2 && word[0] == '-' && short_options().count(word[1]) > 0) {
        option.name = short_options().at(word[1]);
        option.value = word.size() > 2 ? word.substr(2) : next_word(words, at);
      } else {
        return Error("base.wrong_field",
                     text("\"{}\" is not an option of sbatch", "“{}”不是 sbatch 选项", base::sanitize_utf8(word)))
            .at(path_, line, column)
            .next(text("see man sbatch", "请看 man sbatch"));
      }
      options_.push_back(std::move(option));
    }
  }

  static bool takes_value(const std::string& name) {
    return name != "exclusive" && name != "requeue" && name != "no-requeue" && name != "parsable" && name != "overcommit" &&
           name != "verbose" && name != "quiet" && name != "accept-open-findings";
  }

  // A word with sbatch's quoting: quotes group, a backslash outside single quotes escapes.
  static std::string take_word(std::string_view words, std::size_t& at) {
    std::string word;
    char quote = '\0';
    for (; at < words.size(); ++at) {
      char c = words[at];
      if (quote == '\0' && (c == ' ' || c == '\t')) break;
      if (quote == '\0' && (c == '"' || c == '\'')) {
        quote = c;
      } else if (c == quote && quote != '\0') {
        quote = '\0';
      } else if (c == '\\' && quote != '\'' && at + 1 < words.size()) {
        word += words[++at];
      } else {
        word += c;
      }
    }
    return word;
  }
  static std::string next_word(std::string_view words, std::size_t& at) {
    at = words.find_first_not_of(" \t", at);
    if (at == std::string_view::npos) {
      at = words.size();
      return "";
    }
    return take_word(words, at);
  }

  base::Result<std::int64_t> whole(const Option& option) const {
    std::int64_t value = 0;
    bool is_number =
        !option.value.empty() && option.value.size() < 10 && option.value.find_first_not_of("0123456789") == std::string::npos;
    if (is_number) value = std::stoll(option.value);
    if (!is_number || value < 1)
      return refuse(option, text("\"{}\" is not a positive whole number", "“{}”不是正整数", base::sanitize_utf8(option.value)));
    return value;
  }

  base::Status take(const Option& option) {
    using Handler = std::function<base::Status(SbatchReader&, const Option&)>;
    static const std::map<std::string, Handler> handlers = {
        {"job-name",
         [](SbatchReader& self, const Option& o) {
           self.job_.name = o.value;
           return base::Status();
         }},
        {"nodes", [](SbatchReader& self, const Option& o) { return self.take_nodes(o); }},
        {"ntasks", [](SbatchReader& self, const Option& o) { return self.take_count(o, self.task_count_); }},
        {"ntasks-per-node", [](SbatchReader& self, const Option& o) { return self.take_count(o, self.tasks_per_node_); }},
        {"time", [](SbatchReader& self, const Option& o) { return self.take_time(o); }},
        {"gres", [](SbatchReader& self, const Option& o) { return self.take_gres(o); }},
        {"gpus", [](SbatchReader& self, const Option& o) { return self.take_gpus(o, self.cards_total_); }},
        {"gpus-per-node", [](SbatchReader& self, const Option& o) { return self.take_gpus(o, self.cards_per_node_); }},
        {"gpus-per-task", [](SbatchReader& self, const Option& o) { return self.take_gpus(o, self.cards_per_task_); }},
        {"chdir",
         [](SbatchReader& self, const Option& o) {
           self.job_.working_directory = o.value;
           return base::Status();
         }},
        {"export", [](SbatchReader& self, const Option& o) { return self.take_export(o); }},
        {"project",
         [](SbatchReader& self, const Option& o) {
           self.job_.project = resolve_folder(o.value, self.path_);
           return base::Status();
         }},
        {"policy", [](SbatchReader& self, const Option& o) { return self.take_policy(o); }},
        {"chips", [](SbatchReader& self, const Option& o) { return self.take_chips(o); }},
        {"deadline", [](SbatchReader& self, const Option& o) { return self.take_deadline(o); }},
        {"estimate-on-a100", [](SbatchReader& self, const Option& o) { return self.take_estimate(o); }},
        {"memory-per-card", [](SbatchReader& self, const Option& o) { return self.take_memory(o); }},
        {"accept-open-findings",
         [](SbatchReader& self, const Option&) {
           self.job_.accepts_open_findings = true;
           return base::Status();
         }},
    };
    auto handler = handlers.find(option.name);
    if (handler != handlers.end()) {
      if (option.value.empty() && takes_value(option.name))
        return refuse(option, text("the option --{} needs a value", "选项 --{} 需要取值", option.name));
      return handler->second(*this, option);
    }
    if (is_ignored(option.name)) return {};
    if (option.name == "array" || option.name == "dependency" || option.name == "hetjob") {
      return Error("sched.unsupported",
                   text("--{} is not supported: one submission is one job", "不支持 --{}：一次提交对应一个作业", option.name))
          .at({path_, option.line, option.column, "--" + option.name})
          .next(text("submit the jobs one by one", "请逐个提交作业"));
    }
    std::vector<std::string> known;
    for (const auto& [name, unused] : handlers) known.push_back(name);
    Error error = refuse(option, text("unknown option --{}", "未知选项 --{}", base::sanitize_utf8(option.name)));
    std::string near = base::nearest_word(option.name, known);
    return near.empty() ? std::move(error).next(text("see docs/jobs.md", "请看 docs/jobs.md"))
                        : std::move(error).next(text("did you mean --{}?", "是否想写 --{}？", near));
  }

  base::Status take_count(const Option& option, std::int64_t& target) {
    SB_TRY(target, whole(option));
    return {};
  }

  base::Status take_nodes(const Option& option) {
    Option number = option;
    std::size_t dash = number.value.find('-');
    if (dash != std::string::npos) number.value = number.value.substr(0, dash);  // "2-4": the least is enough
    SB_TRY(job_.node_count, whole(number));
    return {};
  }

  // Slurm's forms: minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes, days-hours:minutes:seconds.
  base::Status take_time(const Option& option) {
    std::string value = option.value;
    std::int64_t days = 0;
    std::vector<std::int64_t> parts;
    std::size_t dash = value.find('-');
    bool has_days = dash != std::string::npos;
    auto number = [&](const std::string& digits, std::int64_t& target) {
      if (digits.empty() || digits.size() > 8 || digits.find_first_not_of("0123456789") != std::string::npos) return false;
      target = std::stoll(digits);
      return true;
    };
    bool is_good = !has_days || number(value.substr(0, dash), days);
    std::string rest = has_days ? value.substr(dash + 1) : value;
    while (is_good) {
      std::size_t colon = rest.find(':');
      std::int64_t part = 0;
      is_good = number(rest.substr(0, colon), part);
      parts.push_back(part);
      if (colon == std::string::npos) break;
      rest = rest.substr(colon + 1);
    }
    if (!is_good || parts.size() > 3) {
      return refuse(option,
                    text("\"{}\" is not a time limit of Slurm", "“{}”不是 Slurm 的时限", base::sanitize_utf8(option.value)))
          .next(text("write it as D-HH:MM:SS", "请写成 D-HH:MM:SS"));
    }
    std::int64_t seconds = 0;
    if (has_days) {
      parts.resize(3, 0);
      seconds = days * 86'400 + parts[0] * 3600 + parts[1] * 60 + parts[2];
    } else if (parts.size() == 1) {
      seconds = parts[0] * 60;
    } else if (parts.size() == 2) {
      seconds = parts[0] * 60 + parts[1];
    } else {
      seconds = parts[0] * 3600 + parts[1] * 60 + parts[2];
    }
    if (seconds > 10LL * 366 * 86'400) return refuse(option, text("the time limit is longer than ten years", "时限超过十年"));
    job_.time_limit_ms = seconds * 1000;
    return {};
  }

  // "gpu:8", "gpu:a100:8", "npu:ascend910b3:4", several by commas. A typed resource restricts nothing by itself: it names the
  // card the script was written for.
  base::Status take_gres(const Option& option) {
    std::string_view rest = option.value;
    while (!rest.empty()) {
      std::size_t comma = rest.find(',');
      std::string item(rest.substr(0, comma));
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
      std::string kind = item.substr(0, item.find(':'));
      if (!is_card_kind(kind)) continue;  // licences, shared memory and the like
      Option number = option;
      std::size_t last = item.rfind(':');
      number.value = last == std::string::npos ? "1" : item.substr(last + 1);
      if (last != std::string::npos && number.value.find_first_not_of("0123456789") != std::string::npos) number.value = "1";
      std::int64_t count = 0;
      SB_TRY(count, whole(number));
      cards_per_node_ = cards_per_node_ + count;
    }
    return {};
  }

  bool is_card_kind(const std::string& kind) const {
    if (kind == "gpu") return true;
    for (const catalog::Chip& chip : catalog_.chips()) {
      std::string gres = chip.slurm_gres().value_or("");
      if (!gres.empty() && gres.substr(0, gres.find(':')) == kind) return true;
    }
    return false;
  }

  base::Status take_gpus(const Option& option, std::int64_t& target) {
    Option number = option;
    std::size_t colon = option.value.rfind(':');
    if (colon != std::string::npos) number.value = option.value.substr(colon + 1);
    SB_TRY(target, whole(number));
    return {};
  }

  base::Status take_export(const Option& option) {
    std::string_view rest = option.value;
    while (!rest.empty()) {
      std::size_t comma = rest.find(',');
      std::string item(rest.substr(0, comma));
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
      std::size_t equals = item.find('=');
      if (equals == std::string::npos) continue;  // ALL, NONE or the name of a variable of the submitter
      job_.environment[item.substr(0, equals)] = item.substr(equals + 1);
    }
    return {};
  }

  base::Status take_policy(const Option& option) {
    base::Result<Policy> policy = parse_policy(option.value);
    if (!policy.ok()) return with_place(policy.error(), option);
    job_.policy = *policy;
    return {};
  }

  base::Status take_chips(const Option& option) {
    std::string_view rest = option.value;
    while (!rest.empty()) {
      std::size_t comma = rest.find(',');
      base::Result<const catalog::Chip*> chip = catalog_.find_chip(base::trim(rest.substr(0, comma)));
      if (!chip.ok()) return with_place(chip.error(), option);
      job_.chips.push_back((*chip)->id);
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
    return {};
  }

  base::Status take_deadline(const Option& option) {
    base::Result<base::TimeMs> deadline = base::parse_time(option.value);
    if (!deadline.ok()) return with_place(deadline.error(), option);
    job_.deadline_ms = *deadline;
    return {};
  }

  base::Status take_estimate(const Option& option) {
    base::Result<base::DurationMs> duration = parse_duration(option.value);
    if (!duration.ok()) return with_place(duration.error(), option);
    job_.reference_ms = *duration;
    return {};
  }

  base::Status take_memory(const Option& option) {
    base::Result<std::int64_t> bytes = parse_bytes(option.value);
    if (!bytes.ok()) return with_place(bytes.error(), option);
    job_.memory_per_card_bytes = *bytes;
    return {};
  }

  base::Status count_cards() {
    std::int64_t nodes = std::max<std::int64_t>(job_.node_count, 1);
    std::int64_t tasks = task_count_ > 0 ? task_count_ : tasks_per_node_ > 0 ? tasks_per_node_ * nodes : 1;
    if (cards_total_ > 0) {
      job_.card_count = cards_total_;
    } else if (cards_per_node_ > 0) {
      job_.card_count = cards_per_node_ * nodes;
    } else if (cards_per_task_ > 0) {
      job_.card_count = cards_per_task_ * tasks;
    } else {
      return Error("base.wrong_field", text("the script asks for no card", "脚本没有申请加速卡"))
          .at(path_)
          .in_field("--gres")
          .next(text("add #SBATCH --gres=gpu:1", "请加入 #SBATCH --gres=gpu:1"));
    }
    return {};
  }

  std::string_view content_;
  const std::string& path_;
  const catalog::Catalog& catalog_;
  JobSpec job_;
  std::string shebang_;
  std::string body_;
  std::vector<Option> options_;
  std::int64_t task_count_ = 0;
  std::int64_t tasks_per_node_ = 0;
  std::int64_t cards_total_ = 0;
  std::int64_t cards_per_node_ = 0;
  std::int64_t cards_per_task_ = 0;
};

}  // namespace

base::Result<JobSpec> parse_sbatch_job(std::string_view content, const std::string& path, const catalog::Catalog& catalog) {
  if (content.find('\0') != std::string_view::npos) {
    return Error("base.wrong_field", text("the script holds NUL bytes", "脚本含有 NUL 字节")).at(path);
  }
  return SbatchReader(content, path, catalog).read();
}

}  // namespace starbridge::sched

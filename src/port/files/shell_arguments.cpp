#include "port/files/shell_arguments.h"

#include <algorithm>
#include <array>

namespace starbridge::port {
namespace {

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
}

template <std::size_t kCount>
bool is_one_of(std::string_view word, const std::array<std::string_view, kCount>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// What an option of a training script names, by its name: --device, --dist-backend, trainer.device=.
const python::TextRole* role_of_option(const Context& context, std::string_view option) {
  bool is_option = option.substr(0, 2) == "--";
  std::string name(is_option ? option.substr(2) : option);
  if (!is_option) {
    name.erase(0, name.find_first_not_of('+'));
    name.erase(0, name.rfind('.') == std::string::npos ? 0 : name.rfind('.') + 1);
  }
  return role_of_setting(context, name);
}

bool is_variable_name(std::string_view word) {
  if (word.find('_') == std::string_view::npos) return false;
  return std::all_of(word.begin(), word.end(),
                     [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; });
}

// Programs whose arguments are text, paths or somebody else's settings.
bool takes_no_settings(std::string_view program) {
  static constexpr std::array<std::string_view, 16> kPrograms = {"echo", "printf", "git", "cd",  "mkdir", "cp",  "mv",  "rm",
                                                                 "ls",   "grep",   "sed", "awk", "find",  "tar", "cat", "test"};
  return is_one_of(program, kPrograms);
}

}  // namespace

void ShellArguments::add_value(python::TextRole role, const ShellArgument& argument) {
  ShellWord::Kind kind = role == python::TextRole::kDevice ? ShellWord::Kind::kDevice : ShellWord::Kind::kCollective;
  if (argument.head.end > argument.head.begin) {
    std::string_view head = text(argument.head);
    // "cuda:$RANK" names a device; "cuda$X" may be anything.
    if (argument.is_whole || (!head.empty() && head.back() == ':')) add(kind, argument.head);
  } else if (!argument.variable.empty()) {
    roles_.emplace(argument.variable, role);
    if (argument.fallback.end > argument.fallback.begin) add(kind, argument.fallback);
  }
}

void ShellArguments::read_slurm(const std::vector<ShellArgument>& arguments, std::size_t first) {
  for (std::size_t index = first; index < arguments.size(); ++index) {
    ByteSpan head = arguments[index].head;
    std::string_view word = text(head);
    if (word.size() < 2 || word[0] != '-') {
      if (first > 0 && !word.empty()) return;  // of srun: what follows is the program and its own arguments
      continue;
    }
    std::size_t equals = word.find('=');
    SlurmOption option;
    option.name = {head.begin, head.begin + std::min(equals, word.size())};
    bool is_long = word[1] == '-';
    static constexpr std::array<std::string_view, 8> kWithValue = {"--gres",          "--gpus-per-node",  "--gpus",
                                                                   "--gpus-per-task", "--tres-per-node",  "--constraint",
                                                                   "--gpu-bind",      "--gpus-per-socket"};
    static constexpr std::array<std::string_view, 11> kShortWithValue = {"-G", "-C", "-N", "-n", "-c", "-p",
                                                                         "-t", "-J", "-o", "-e", "-A"};
    std::string_view name = word.substr(0, equals);
    if (is_long && equals != std::string_view::npos) {
      option.value = {head.begin + equals + 1, head.end};
    } else if (!is_long && word.size() > 2) {
      option.name = {head.begin, head.begin + 2};
      option.value = {head.begin + 2, head.end};
    } else if ((is_one_of(name, kWithValue) || is_one_of(name, kShortWithValue)) && index + 1 < arguments.size()) {
      option.value = arguments[++index].head;
    }
    reading_.slurm.push_back(option);
  }
}

void ShellArguments::read_install(const std::vector<ShellArgument>& arguments, std::size_t first, bool is_conda) {
  PackageInstall install;
  install.is_conda = is_conda;
  for (std::size_t index = first; index < arguments.size(); ++index) {
    ByteSpan head = arguments[index].head;
    std::string_view word = text(head);
    if (!word.empty() && word[0] == '-') {
      static constexpr std::array<std::string_view, 4> kIndexes = {"--index-url", "--extra-index-url", "-f", "--find-links"};
      static constexpr std::array<std::string_view, 9> kWithValue = {"-i",       "-r",       "-c", "-e", "-t",
                                                                     "--target", "--prefix", "-n", "-p"};
      std::size_t equals = word.find('=');
      if (is_one_of(word.substr(0, equals), kIndexes) || word == "-i") {
        if (equals != std::string_view::npos) {
          install.indexes.push_back({{head.begin, head.begin + equals}, {head.begin + equals + 1, head.end}});
        } else if (index + 1 < arguments.size()) {
          install.indexes.push_back({head, arguments[++index].head});
        }
      } else if (is_one_of(word, kWithValue)) {
        ++index;
      }
      continue;
    }
    if (arguments[index].is_whole && !word.empty()) install.packages.push_back(arguments[index]);
  }
  reading_.installs.push_back(std::move(install));
}

void ShellArguments::read_options(const std::vector<ShellArgument>& arguments) {
  const python::TextRole* role = nullptr;
  for (std::size_t index = 1; index < arguments.size(); ++index) {
    const ShellArgument& argument = arguments[index];
    std::string_view word = text(argument.head);
    if (role != nullptr) add_value(*role, argument);
    role = nullptr;
    std::size_t equals = word.find('=');
    std::string_view name = word.substr(0, equals);
    if (name == "--export") {
      std::size_t at = equals == std::string_view::npos ? word.size() : equals + 1;
      while (at < word.size()) {
        std::size_t comma = std::min(word.find(',', at), word.size());
        std::string_view variable = word.substr(at, comma - at);
        variable = variable.substr(0, variable.find('='));
        if (is_variable_name(variable))
          add(ShellWord::Kind::kVariable, {argument.head.begin + at, argument.head.begin + at + variable.size()});
        at = comma + 1;
      }
      continue;
    }
    if (is_variable_name(name)) add(ShellWord::Kind::kVariable, {argument.head.begin, argument.head.begin + name.size()});
    if (name.substr(0, 6) == "--env=" || name == "--env") continue;
    const python::TextRole* named =
        name.substr(0, 2) == "--" || equals != std::string_view::npos ? role_of_option(context_, name) : nullptr;
    if (named == nullptr) continue;
    if (equals != std::string_view::npos) {
      ShellArgument value = argument;
      value.head.begin += equals + 1;
      add_value(*named, value);
    } else {
      role = named;
    }
  }
}

void ShellArguments::read(const std::vector<ShellArgument>& arguments) {
  if (arguments.empty()) return;
  std::string_view program = file_name(text(arguments[0].head));
  if (!program.empty() && arguments[0].is_whole) add(ShellWord::Kind::kCommand, arguments[0].head);
  if (takes_no_settings(program)) return;
  auto word = [&](std::size_t index) { return index < arguments.size() ? text(arguments[index].head) : std::string_view(); };
  if (program == "srun" || program == "sbatch" || program == "salloc") read_slurm(arguments, 1);
  if ((program == "module" && (word(1) == "load" || word(1) == "add" || word(1) == "swap")) || program == "ml") {
    for (std::size_t index = program == "ml" ? 1 : 2; index < arguments.size(); ++index) {
      add(ShellWord::Kind::kModule, arguments[index].head);
    }
    return;
  }
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    std::string_view name = file_name(word(index));
    if (name.substr(0, 6) == "python" && word(index + 1) == "-m" && word(index + 2) == "pip") {
      index += 2;
      name = "pip";
    }
    bool is_pip = name.substr(0, 3) == "pip" && name.find_first_not_of("0123456789.", 3) == std::string_view::npos;
    bool is_conda = name == "conda" || name == "mamba" || name == "micromamba";
    if ((is_pip || is_conda) && word(index + 1) == "install") {
      read_install(arguments, index + 2, is_conda);
      return;
    }
    bool is_container = (name == "docker" || name == "podman" || name == "nerdctl") && word(index + 1) == "run";
    for (std::size_t option = index + 2; is_container && option < arguments.size(); ++option) {
      if (word(option).substr(0, 6) == "--gpus" || word(option) == "--runtime=nvidia")
        add(ShellWord::Kind::kContainerCards, arguments[option].head);
    }
    // A tool of NVIDIA behind a launcher: srun nvidia-smi, sudo nvidia-smi.
    bool is_launcher = name == "sudo" || name == "srun" || name == "exec" || name == "time" || name == "env" || name == "watch" ||
                       name == "uv" || name == "nohup";
    if (!is_launcher) {
      if (index > 0 && arguments[index].is_whole && name.find('=') == std::string_view::npos && name.substr(0, 1) != "-")
        add(ShellWord::Kind::kCommand, arguments[index].head);
      if (name.substr(0, 1) != "-" && name.find('=') == std::string_view::npos && !name.empty()) break;
    }
  }
  read_options(arguments);
}

}  // namespace starbridge::port

// ShellArguments: what the arguments of one command say about devices, resources and packages. Pure.
#pragma once

#include <functional>
#include <map>

#include "port/files/shell.h"
#include "port/python/sinks.h"

namespace starbridge::port {

class ShellArguments {
 public:
  // `bytes` is the text the spans point into once `base` is taken off.
  ShellArguments(std::string_view bytes, std::size_t base, const Context& context, ShellReading& reading)
      : bytes_(bytes), base_(base), context_(context), reading_(reading) {}

  // The arguments of a command, the program first.
  void read(const std::vector<ShellArgument>& arguments);
  // Options of Slurm among the arguments from `first` on.
  void read_slurm(const std::vector<ShellArgument>& arguments, std::size_t first);
  // `argument` stands where a device or a collective is named. Variables in it are noted in roles().
  void add_value(python::TextRole role, const ShellArgument& argument);

  std::map<std::string, python::TextRole>& roles() { return roles_; }
  std::string_view text(ByteSpan span) const { return bytes_.substr(span.begin - base_, span.end - span.begin); }

 private:
  void add(ShellWord::Kind kind, ByteSpan span) { reading_.words.push_back({kind, span, 0}); }
  void read_install(const std::vector<ShellArgument>& arguments, std::size_t first, bool is_conda);
  void read_options(const std::vector<ShellArgument>& arguments);

  std::string_view bytes_;
  std::size_t base_;
  const Context& context_;
  ShellReading& reading_;
  std::map<std::string, python::TextRole> roles_;  // variables that hold a device or a collective
};

}  // namespace starbridge::port

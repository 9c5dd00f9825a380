// RequirementList: the packages of one list or section of a project file (pyproject.toml, Pipfile, setup.cfg), judged together.
// Pure; one list for one target.
#pragma once

#include <functional>
#include <vector>

#include "port/files/requirement.h"

namespace starbridge::port {

class RequirementList {
 public:
  // Adds `plugin` ("torch_npu==2.7.1") beside a requirement, or takes a foreign plug-in's entry away. May do nothing.
  using Insert = std::function<void(const std::string& plugin)>;
  using Remove = std::function<void()>;

  void add(Requirement requirement, Insert insert, Remove remove);
  void judge(Sheet& sheet) const;

 private:
  struct Entry {
    Requirement requirement;
    Insert insert;
    Remove remove;
  };
  std::vector<Entry> entries_;
};

}  // namespace starbridge::port

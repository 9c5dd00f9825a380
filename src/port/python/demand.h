// Demand: what a file asks of the rest of the project while values are followed. Plain data; pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace starbridge::port::python {

// Which texts are wanted: "cuda"-like device texts or "nccl"-like collective backends.
enum class TextRole { kDevice, kCollective };

// What a file asks of the rest of the project: values that reach a device by way of another file.
struct Demand {
  enum class Kind : std::uint8_t {
    kImported,        // the value of an imported name
    kImportedKeys,    // the keys of an imported dictionary
    kReturned,        // what an imported function returns
    kArgument,        // what is given for a parameter of a function or class of this file
    kMethodArgument,  // the same for a method, whose class is not known
    kMethodReturned,  // what methods of this name return
    kAttribute,       // what is assigned to attributes of this name, and options and fields so called
    kKey,             // what stands under this key in dictionaries and settings
    kFixture,         // what the fixture of this name gives, in a conftest.py of the asking file's folder or of one above it
  };
  Kind kind = Kind::kImported;
  std::string name;       // kImported, kImportedKeys, kReturned: the path as this file's imports spell it
  std::string parameter;  // its keyword
  int position = -1;      // its place among the arguments, from 0
  TextRole role = TextRole::kDevice;
};
// Of one file, found through imports.
bool is_by_path(const Demand& demand);
// For every file that bears the word.
bool is_by_name(const Demand& demand);
// Of everything a demand says; two different demands are told apart by it for all practical purposes (64 bits).
std::size_t hash_of(const Demand& demand);

}  // namespace starbridge::port::python

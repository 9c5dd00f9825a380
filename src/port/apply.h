// Apply: the edits of one target written out: as a copy, as a patch, or in place; and reversed. Blocking; any thread.
// A port carries a record, .starbridge-port.json, from which every byte of the original can be restored.
#pragma once

#include <string>
#include <vector>

#include "port/project.h"

namespace starbridge::port {

inline constexpr const char* kManifestName = kRecordName.data();

// The whole project as one patch for `patch -p1`; `report` must hold exactly one chip.
base::Result<std::string> make_patch(const ProjectReport& report);

// Copies the tree at report.root to `output` with the edits applied. The copy is made beside `output` under another name and
// renamed when it is whole. Links are copied as links; special files are left out. Modes are kept.
// Errors: base.file_exists (output exists and is not an empty folder), port.already_ported, base.disk_full, base.no_permission.
base::Status write_copy(const ProjectReport& report, const std::string& output, const OnProgress& on_progress = {});

// Edits the tree itself. The record is written first, then each file is replaced whole; after a crash a second run or a
// reversal finishes the work.
base::Status write_in_place(const ProjectReport& report);

struct Reversal {
  std::string chip;
  std::size_t file_count = 0;
};
// Restores the original bytes of a port from its record and removes the record. All files are checked before the first is
// changed. Errors: port.no_manifest, port.manifest_mismatch.
base::Result<Reversal> reverse_port(const std::string& root);

// The chip a port was made for, from its record. Error: port.no_manifest.
base::Result<std::string> ported_chip(const std::string& root);

}  // namespace starbridge::port

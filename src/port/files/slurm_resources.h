// SlurmResources: how a job script asks for cards, rewritten for the cards of a target. Pure.
#pragma once

#include "port/files/shell.h"

namespace starbridge::port {

void judge_slurm(const std::vector<SlurmOption>& options, Sheet& sheet);

}  // namespace starbridge::port

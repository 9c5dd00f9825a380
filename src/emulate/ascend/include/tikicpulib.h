// The CPU form of the launch: the same emulated core.
#pragma once

#include "starbridge/asc_host.h"

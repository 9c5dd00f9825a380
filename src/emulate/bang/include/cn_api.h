// The driver interface of Cambricon's chips is not emulated; the few types that runtime code names are in cnrt.h.
#pragma once
#include "cnrt.h"

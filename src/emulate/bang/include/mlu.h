// Part of BANG C; all of it is in bang.h.
#pragma once
#include "bang.h"

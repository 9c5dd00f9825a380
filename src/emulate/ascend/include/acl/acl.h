// ACL as programs include it.
#pragma once

#include "acl/acl_base.h"
#include "acl/acl_op.h"
#include "acl/acl_rt.h"

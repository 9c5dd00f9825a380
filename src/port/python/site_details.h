// Site details: what surrounds a site, for styles that write more than another word in its place. Pure; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "port/python/sites.h"

namespace starbridge::port::python {

// What stands behind the last dot.
std::string last_name(std::string_view path);

// Config(dev="cuda"), dict(dev="cuda"), replace(config, dev="cuda"): a call of a class or of a maker of mappings.
bool is_configuration(const Syntax& syntax, NodeId function);

// Of a call x.cuda(...): the brackets, and the value given for the device when there is one ({n, n}: none). Empty when the
// arguments cannot be told apart from each other: more than one by position, or *arguments.
std::vector<Span> method_parts(const Syntax& syntax, NodeId call);

// The subscript os.environ["X"] around the literal when it is what a plain assignment assigns to; {0, 0} otherwise.
Span assigned_subscript(const Syntax& syntax, NodeId string);

// The first byte of the line behind the docstring and the imports from __future__.
std::size_t end_of_header(const Syntax& syntax, std::string_view source);

}  // namespace starbridge::port::python

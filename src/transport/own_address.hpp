#pragma once

#include <string>

#include "base/result.hpp"

namespace weir::transport {

// The address at which this machine is to be reached as `host`, to listen on: "10.0.0.1", "[fe80::1]".
// `host` is an address, or a name that leads to one of this machine; where a name leads nowhere but to
// loopback, as Debian writes it for a host's own, and the machine has one other address, that one.
// `network` picks among several: a device (ib0) or a range (10.2.0.0/16); empty for any.
Result<std::string> own_address(const std::string& host, const std::string& network);

// Whether an address, with its port ("10.0.0.1:4711") or without, is one of this machine's and not one that
// all have, as loopback's.
bool is_only_here(const std::string& address);

}  // namespace weir::transport

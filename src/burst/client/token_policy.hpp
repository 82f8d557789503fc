#pragma once

#include "burst/client/file.hpp"
#include "burst/client/file_system.hpp"
#include "burst/client/policy.hpp"

namespace weir::burst {

// As if every write were published at once and every read asked, by locks: writes and looks are good as long
// as the node holds a token of their blocks.
class Tokens : public Policy {
 public:
  bool is_strong() const override { return true; }
  bool looks_on_open() const override { return false; }
  // A write for which no token was to be had gets another chance.
  bool publishes_on_close() const override { return true; }
  int before_read(File& file, Span bytes) const override { return file.look_by_token(bytes, false); }
  int look_again(File& file, Span bytes) const override { return file.look_by_token(bytes, true); }
  int after_write(File& file, Span bytes) const override { return file.write_by_token(bytes); }
  int on(consistency::Operation /*operation*/, File& file) const override { return file.drain_tokens(); }
  int before_close(File& file) const override { return file.drain_tokens(); }
  int before_stat(FileSystem& system, FileId file, std::uint64_t size) const override {
    return system.look_for_end(file, size);
  }
  bool holds_to_resize() const override { return true; }
  int before_resize(File& file, std::uint64_t& held) const override { return file.hold_whole(held); }
  int after_resize(File& file, std::uint64_t held) const override { return file.release_whole(held); }
};

}  // namespace weir::burst

#include "trace/detail/piece_store.hpp"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "base/checksum.hpp"

namespace weir::trace::detail {
namespace {

Result<std::vector<std::byte>> read(int fd, std::uint64_t at, std::uint64_t bytes) {
  std::vector<std::byte> out(bytes);
  std::size_t got = 0;
  while (got < bytes) {
    const ssize_t piece = pread(fd, out.data() + got, bytes - got, static_cast<off_t>(at + got));
    if (piece < 0 && errno == EINTR) continue;
    if (piece <= 0) return Error::from_errno(piece < 0 ? errno : EIO, "cannot read back the blocks");
    got += static_cast<std::size_t>(piece);
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<PieceStore>> PieceStore::create(const std::filesystem::path& directory) {
  const auto make = [](int fd) { return std::unique_ptr<PieceStore>(new PieceStore(UniqueFd(fd))); };
  const int fd = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return make(fd);
  std::string name = (directory / ".pieces-XXXXXX").string();
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named < 0) return Error::from_errno(errno, "cannot write").in(directory.string());
  ::unlink(name.c_str());
  return make(named);
}

Result<std::uint32_t> PieceStore::add(Section type, ByteSpan payload) {
  const PieceKey key = PieceKey::of(type, payload);
  const ByteWriter section = piece_section(key, payload);
  const std::lock_guard guard(lock_);
  if (const auto found = numbers_.find(key); found != numbers_.end()) return found->second;
  if (const auto done = write_all(fd_.get(), section.view()); !done) return done.error();
  const auto number = static_cast<std::uint32_t>(pieces_.size());
  pieces_.push_back({key, bytes_, kOwn});
  numbers_.emplace(key, number);
  bytes_ += section.size();
  return number;
}

std::uint32_t PieceStore::add(const StoredPiece& piece, std::uint32_t source) {
  const auto [found, fresh] = numbers_.try_emplace(piece.key, static_cast<std::uint32_t>(pieces_.size()));
  if (fresh) pieces_.push_back({piece.key, piece.offset, source});
  return found->second;
}

std::uint32_t PieceStore::add_source(std::filesystem::path file) {
  sources_.push_back(std::move(file));
  return static_cast<std::uint32_t>(sources_.size() - 1);
}

Result<int> PieceStore::open_source(std::uint32_t source) {
  if (source == kOwn) return fd_.get();
  if (source != opened_) {
    auto fd = open_file(sources_[source], O_RDONLY);
    if (!fd) return fd.error();
    open_ = std::move(*fd);
    opened_ = source;
  }
  return open_.get();
}

Result<void> PieceStore::copy_to(AtomicFile& file, std::uint32_t number) {
  const Place& place = pieces_[number];
  const auto fd = open_source(place.source);
  if (!fd) return fd.error();
  const auto payload = read(*fd, place.offset + kSectionHeaderBytes, place.key.bytes);
  if (!payload) return payload.error();
  if (place.source != kOwn && checksum(*payload) != place.key.sum)
    return Error{Errc::bad_data, "a block is damaged"}.in(sources_[place.source].string());
  return file.write(piece_section(place.key, *payload).view());
}

}  // namespace weir::trace::detail

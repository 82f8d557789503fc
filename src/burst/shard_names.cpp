#include <algorithm>

#include <unistd.h>

#include "burst/shard.hpp"

namespace weir::burst {

Outcome<FileId> Shard::look_up(const std::string& path, Changes& changes) {
  if (!is_clean_path(path)) return {EINVAL, {}};
  if (moving_.contains(path)) return {kAskAgain, {}};
  if (const FileId known = state_.find_name(path)) {
    if (known.home() != self_ || state_.find(known) != nullptr) return {0, known};
    changes.emplace_back(NameGone{path});  // a server died between taking the file away and its name
  }
  const auto there = backing_.stat(path);
  if (!there) return {there.error, {}};
  if (there.body.kind == FileKind::directory) return {EISDIR, {}};
  const FileId file = FileId::of(self_, state_.files_made() + 1);
  changes.emplace_back(FileMade{file, path, there.body, true});
  changes.emplace_back(NamePut{path, file});
  return {0, file};
}

Outcome<Opened> Shard::open(const Header& header, const Open& request, Changes& changes) {
  const auto found = look_up(request.path, changes);
  if (!found && (found.error != ENOENT || !request.create)) return {found.error, {}};
  if (found && request.create && request.exclusive) return {EEXIST, {}};
  if ((sealed_ && !found) || is_closed_to(request.truncate, request.access)) return {EROFS, {}};
  if (found && found.body.home() != self_)
    return {0, {.file = found.body, .elsewhere = true, .in_backing = false, .attributes = {}, .extents = {}}};

  FileId file = found.body;
  if (!found) {
    if (const int error = backing_.check_parent(request.path); error != 0) return {error, {}};
    file = FileId::of(self_, state_.files_made() + 1);
    const std::int64_t now = ports_.now_ns();
    Attributes attributes;
    attributes.mode = request.mode & 07777u;
    attributes.uid = ::geteuid();  // servers and clients of a job are one user's
    attributes.gid = ::getegid();
    attributes.modified_ns = attributes.changed_ns = now;
    changes.emplace_back(FileMade{file, request.path, attributes, false});
    changes.emplace_back(NamePut{request.path, file});
  }
  // It is made, opened and answered in one commit: asked again after a death in between, who made it would be
  // told that it was there.
  FileState made;
  for (const Change& change : changes)
    if (const auto* const one = std::get_if<FileMade>(&change)) {
      made.path = one->path;
      made.attributes = one->attributes;
      made.in_backing = one->in_backing;
    }
  const FileState* const known = state_.find(file);
  const FileState& state = known != nullptr ? *known : made;
  if (found && !allows(state, request.access)) return {EACCES, {}};
  return opened(file, state, request.truncate, request.want_extents, header.client, changes);
}

Outcome<Stated> Shard::stat_name(const Header& /*header*/, const StatName& request, Changes& changes) {
  const auto found = look_up(request.path, changes);
  Stated answer;
  if (found.error == EISDIR) {
    answer.attributes = backing_.stat(request.path).body;
    return {0, answer};
  }
  if (!found) return {found.error, {}};
  if (found.body.home() != self_) {
    answer.file = found.body;
    answer.elsewhere = true;
    return {0, answer};
  }
  if (const int error = commit(changes); error != 0) return {error, {}};
  changes.clear();
  return {0, stated(found.body, *state_.find(found.body))};
}

Outcome<Names> Shard::list_names(const Header& /*header*/, const ListNames& request, Changes& /*changes*/) {
  Names names;
  const std::string prefix = request.below.empty() ? "" : request.below + "/";
  for (auto row = state_.names().lower_bound(prefix);
       row != state_.names().end() && row->first.starts_with(prefix); ++row) {
    NameRow out{.path = row->first, .file = row->second, .size = 0, .buffered = 0};
    if (const FileState* const file = state_.find(row->second)) {
      out.size = file->attributes.size;
      file->unflushed.for_each([&](Span bytes, const Place&) { out.buffered += bytes.end - bytes.begin; });
    } else if (row->second.home() == self_) {
      continue;  // as in look_up()
    }
    names.rows.push_back(std::move(out));
  }
  return {0, std::move(names)};
}

void Shard::drop(FileId file, const std::string& path, Then<Nothing> then) {
  ports_.send(
      file.home(), encode_request({.to_server = file.home().server}, DropName{file, path}),
      [then = std::move(then)](const Result<Bytes>& answer) { then(decode_answer<Nothing>(answer)); });
}

void Shard::unlink(const Header& /*header*/, const Unlink& request, End end) {
  Changes changes;
  const auto found = look_up(request.path, changes);
  if (!found) return end({found.error, {}}, {});
  if (const int error = commit(changes); error != 0) return end({error, {}}, {});
  moving_.insert(request.path);
  drop(found.body, request.path,
       [this, path = request.path, end = std::move(end)](const Outcome<Nothing>& dropped) {
         moving_.erase(path);
         end(dropped, {NameGone{path}});
       });
}

void Shard::check_name(const Header& /*header*/, const CheckName& request, Then<Nothing> then) {
  const FileId file = request.file;
  const auto leads_there = [this, request] {
    return !moving_.contains(request.path) && state_.find_name(request.path) == request.file;
  };
  if (!leads_there() || file.home().server >= layout_.servers || file.home().worker >= layout_.workers)
    return then({0, {}});
  ports_.send(file.home(), encode_request({.to_server = file.home().server}, StatFile{file}),
              [this, request, leads_there, then = std::move(then)](const Result<Bytes>& answer) {
                const int error = decode_answer<Stated>(answer).error;
                if (error != ESTALE || !leads_there()) return then({error == ESTALE ? 0 : error, {}});
                then({commit({NameGone{request.path}}), {}});
              });
}

// The name goes to its new owner first and leaves the old one last: in between both lead to the file, and a
// rename that was cut off can be asked for again.
void Shard::rename(const Header& /*header*/, const Rename& request, End then) {
  Changes changes;
  if (!is_clean_path(request.to)) return then({EINVAL, {}}, {});
  const auto found = look_up(request.from, changes);
  if (!found) return then({found.error, {}}, {});
  if (request.from == request.to) return then({0, {}}, {});
  if (const int error = backing_.check_parent(request.to); error != 0) return then({error, {}}, {});
  if (const int error = commit(changes); error != 0) return then({error, {}}, {});

  moving_.insert(request.from);
  const Home target = layout_.home_of(request.to);
  const PutName put{.path = request.to, .from = request.from, .file = found.body};
  ports_.send(target, encode_request({.to_server = target.server}, put),
              [this, from = request.from, then = std::move(then)](const Result<Bytes>& answer) {
                const auto set = decode_answer<PathWasSet>(answer);
                moving_.erase(from);
                // Two names of one file both stay.
                then({set.error, {}}, set.body.has_both ? Changes{} : Changes{NameGone{from}});
              });
}

// Nobody sees a moment in which there is none, and nobody else changes the name before the file knows of it:
// a file would keep a name that leads to another.
void Shard::put_name(const Header& /*header*/, const PutName& request, Then<PathWasSet> then) {
  const Home home = request.file.home();
  if (home.server >= layout_.servers || home.worker >= layout_.workers) return then({ESTALE, {}});
  const std::tuple which{request.path, request.from, request.file};
  // Asked again, because the answer takes its time: who asks must not believe that it was not begun.
  if (const auto same = putting_.find(which); same != putting_.end())
    return same->second.push_back(std::move(then));
  Changes changes;
  const auto found = look_up(request.path, changes);
  if (!found && found.error != ENOENT) return then({found.error, {}});
  if (found)
    if (const int error = commit(changes); error != 0) return then({error, {}});

  moving_.insert(request.path);
  putting_[which].push_back(std::move(then));
  const auto end = [this, which](const Outcome<PathWasSet>& set) {
    moving_.erase(std::get<0>(which));
    const auto ended = putting_.extract(which);
    for (const auto& waiting : ended.mapped()) waiting(set);
  };
  const auto put = [this, request, home, end](int error) {
    if (error == 0 && state_.find_name(request.path) != request.file)
      error = commit({NamePut{request.path, request.file}});
    if (error != 0) return end({error, {}});
    ports_.send(home,
                encode_request({.to_server = home.server}, SetPath{request.file, request.from, request.path}),
                [end](const Result<Bytes>& answer) { end(decode_answer<PathWasSet>(answer)); });
  };
  if (!found || found.body == request.file) return put(0);
  // Somebody's file loses its name here.
  drop(found.body, request.path, [put](const Outcome<Nothing>& dropped) { put(dropped.error); });
}

// The name is there first and the file learns of it next, in the name of who asks: where a server died in
// between and the link is asked for again, the file tells one that it has just got from one that it had.
void Shard::link_name(const Header& header, const LinkName& request, Then<Nothing> then) {
  const Home home = request.file.home();
  if (home.server >= layout_.servers || home.worker >= layout_.workers) return then({ENOENT, {}});
  Changes changes;
  const auto found = look_up(request.path, changes);
  if (found.error == EISDIR || (found && found.body != request.file)) return then({EEXIST, {}});
  if (!found && found.error != ENOENT) return then({found.error, {}});
  if (const int error = backing_.check_parent(request.path); error != 0) return then({error, {}});
  if (!found)
    if (const int error = commit({NamePut{request.path, request.file}}); error != 0) return then({error, {}});
  moving_.insert(request.path);
  const Header asking{
      .kind = AddName::kKind, .to_server = home.server, .client = header.client, .sequence = header.sequence};
  ports_.send(home, encode_request(asking, AddName{request.file, request.path}),
              [this, path = request.path, then = std::move(then)](const Result<Bytes>& answer) {
                const auto added = decode_answer<Nothing>(answer);
                moving_.erase(path);
                if (!added && added.error != EEXIST) static_cast<void>(commit({NameGone{path}}));
                then(added);
              });
}

}  // namespace weir::burst

#pragma once

#include <cstdint>
#include <string_view>

#include <mpi.h>

#include "capture/library_recording.hpp"
#include "capture/mpi/communicators.hpp"
#include "capture/mpi/library.hpp"
#include "capture/mpi/pmpi.hpp"
#include "capture/mpi/predefined.hpp"
#include "capture/requests.hpp"
#include "capture/scratch.hpp"

namespace weir::capture::mpi {

// Memory that stands for something else: "MPI_IN_PLACE", or null.
inline const char* name_of_buffer(const void* buffer) {
  return buffer == MPI_IN_PLACE ? "MPI_IN_PLACE" : nullptr;  // MPI_BOTTOM is a null pointer
}

struct Mpi {
  static Objects& objects() { return library().objects; }
  static Role kind_of(Role role) { return role; }
  static std::uint64_t bits_of(int handle) { return mpi::bits_of(handle); }
  static std::uint64_t bits_of(const void* handle) { return mpi::bits_of(handle); }

  template <class T>
  static Objects::Object meet(Role role, T object, Lane& lane) {
    if (role != Role::communicator) return objects().add(role, bits_of(object));
    if constexpr (std::is_same_v<T, MPI_Comm>) take_note_of(object, &lane);
    return objects().find(role, bits_of(object));
  }

  // Requests, statuses, ranks and tags, and what is special about some addresses.
  template <class Recording>
  class Extra;
};

template <Call C, class R, class... Args>
class Mpi::Extra<LibraryRecording<Mpi, C, R, Args...>> {
 public:
  using Recording = LibraryRecording<Mpi, C, R, Args...>;
  template <std::size_t I>
  using As = Passed<std::tuple_element_t<I, std::tuple<Args...>>>;

  explicit Extra(Recording& recording) : recording_(recording) {}

  template <std::size_t I>
  static constexpr bool handles() {
    switch (arguments(C)[I].role) {
      case Role::rank:
      case Role::tag:
      case Role::request:
      case Role::status:
      case Role::whence:
      case Role::buffer:
        return true;
      default:
        return false;
    }
  }

  template <Many M, class T>
  static std::int64_t count(T comm) {
    if constexpr (M == Many::size) return size_of(comm);
    if constexpr (M == Many::indegree) return indegree_of(comm);
    if constexpr (M == Many::outdegree) return outdegree_of(comm);
    if constexpr (M == Many::rank) return dimensions_of(comm);
    return -1;
  }

  static int whence(int value) {
    return value == MPI_SEEK_SET ? 0 : value == MPI_SEEK_CUR ? 1 : value == MPI_SEEK_END ? 2 : value;
  }

  // Before the call: which requests it is given, and a place for statuses that the program does not want.
  void before() {
    if constexpr (kRequests != kNone && kGivesRequests) {
      count_ = items<kRequests>();
      if (count_ > 0) requests_ = request_memory_.make(static_cast<std::size_t>(count_));
      if (requests_ == nullptr) count_ = 0;
      for (std::int64_t i = 0; i < count_; ++i) requests_[i] = find_request(i);
    }
    if constexpr (kStatuses != kNone) {
      auto& given = std::get<kStatuses>(recording_.args());
      if (As<kStatuses>::is_ignored(given)) {
        const std::int64_t count = arguments(C)[kStatuses].many.many == Many::one ? 1 : count_;
        if (auto* const own = status_memory_.make(static_cast<std::size_t>(std::max<std::int64_t>(count, 1))))
          As<kStatuses>::replace(given, own);
      }
    }
  }

  // Whether it may complete what was begun on a file.
  bool completes_files() const {
    if constexpr (info(C).completes && kRequests != kNone && kGivesRequests)
      for (std::int64_t i = 0; i < count_; ++i)
        if (requests_[i].of_file) return true;
    return false;
  }

  // After it: what completed, and where the caller stands.
  void after(Lane& lane, bool failed) {
    if constexpr (kCommunicator != kNone) {
      const auto comm = As<kCommunicator>::value(std::get<kCommunicator>(recording_.args()));
      const Objects::Object known = recording_.known_object(Role::communicator, comm, lane);
      own_rank_ = known.rank;
      inter_ = known.inter;
    } else {
      own_rank_ = library().rank.load(std::memory_order_relaxed);
    }
    if constexpr (info(C).agrees && !info(C).starts) {
      if (!failed) meet_new_communicators(lane);
    }
  }

  // After its record: requests that are over are forgotten.
  void done(Lane& lane, bool failed) {
    if constexpr (info(C).completes || info(C).closes) {
      if constexpr (kRequests != kNone) {
        if (failed && info(C).closes) return;
        for (std::int64_t i = 0; i < count_; ++i) {
          if (!requests_[i].known() || !is_complete(i)) continue;
          if (agreements_under_way()) finish_agreement(requests_[i].bits, &lane);
          if (!requests_[i].persistent || info(C).closes) library().requests.remove(requests_[i]);
        }
      }
    }
    if constexpr (info(C).agrees && info(C).starts) {
      if (!failed) {
        constexpr std::size_t made = find_argument(C, "newcomm");
        begin_agreement(As<kCommunicator>::value(std::get<kCommunicator>(recording_.args())),
                        As<made>::item(std::get<made>(recording_.args()), 0),
                        As<kRequests>::item(std::get<kRequests>(recording_.args()), 0));
      }
    }
  }

  // Arrays that only the root reads, and what is not read when data is in place.
  template <std::size_t I>
  bool is_significant() const {
    constexpr std::string_view name = arguments(C)[I].name;
    constexpr std::size_t root = find_argument(C, "root");
    constexpr std::size_t sendbuf = find_argument(C, "sendbuf");
    constexpr bool is_text = arguments(C)[I].role == Role::text && arguments(C)[I].direction == Direction::in;
    if constexpr (root != kNone && (arguments(C)[I].many.many != Many::one || is_text)) {
      const int value = As<root>::value(std::get<root>(recording_.args()));
      if (inter_ ? value != MPI_ROOT : value != own_rank_) return false;
    }
    if constexpr (name == "peer_comm") {
      constexpr std::size_t leader = find_argument(C, "local_leader");
      if (As<leader>::value(std::get<leader>(recording_.args())) != own_rank_) return false;
    }
    if constexpr (sendbuf != kNone && (name.starts_with("send") || name == "sdispls")) {
      if (As<sendbuf>::address(std::get<sendbuf>(recording_.args())) == MPI_IN_PLACE) return false;
    }
    if constexpr (name.find("weights") != std::string_view::npos) {
      if (is_no_weights(As<I>::address(std::get<I>(recording_.args())))) return false;
    }
    return true;
  }

  // Whether the call has set what an argument points to: not where a flag says that there was nothing, nor a
  // communicator that a request has yet to complete.
  template <std::size_t I>
  bool is_set() const {
    if constexpr (arguments(C)[I].role == Role::communicator && info(C).starts) return false;
    if constexpr (I != kFlag) return flag_is_set();
    return true;
  }

  // Codes differ from run to run, their classes do not.
  static std::int64_t error_of(std::int64_t code) {
    int error_class = 0;
    if (WEIR_PMPI(Error_class)(static_cast<int>(code), &error_class) != MPI_SUCCESS) return code;
    return error_class;
  }

  template <std::size_t I>
  void put(Lane& lane, Draft& draft) {
    using trace::Encoding;
    constexpr Role role = arguments(C)[I].role;
    const auto given = std::get<I>(recording_.args());
    if constexpr (role == Role::buffer) {
      if (const char* const name = name_of_buffer(given))
        draft.put(I, Encoding::text, lane.number_of_name(name));
      else
        put_memory(I, given, lane, draft);
    } else if constexpr (role == Role::whence) {
      draft.values[I] = whence(As<I>::value(given));
      draft.put(I, Encoding::literal, static_cast<std::uint64_t>(draft.values[I]));
    } else if constexpr (role == Role::request) {
      put_request<I>(lane, draft);
    } else if constexpr (role == Role::status) {
      put_status<I>(lane, draft);
    } else if constexpr (As<I>::kIsValue) {
      put_one<I>(lane, draft, static_cast<int>(As<I>::value(given)));
    } else {
      put_some<I>(lane, draft);
    }
  }

 private:
  static constexpr std::size_t kNone = arguments(C).size();
  static constexpr std::size_t find_role_of(Role role) {
    for (std::size_t i = 0; i < arguments(C).size(); ++i)
      if (arguments(C)[i].role == role) return i;
    return kNone;
  }
  static constexpr std::size_t kRequests = find_role_of(Role::request);
  static constexpr std::size_t kStatuses = [] {
    for (std::size_t i = 0; i < arguments(C).size(); ++i)
      if (arguments(C)[i].type == "MPI_Status*" && arguments(C)[i].direction == Direction::out) return i;
    return arguments(C).size();
  }();
  static constexpr std::size_t kCommunicator = [] {
    for (std::size_t i = 0; i < arguments(C).size(); ++i)
      if (arguments(C)[i].role == Role::communicator && arguments(C)[i].direction == Direction::in) return i;
    return arguments(C).size();
  }();
  static constexpr std::size_t kFlag = find_argument(C, "flag");
  // Whether it is given requests, by address, rather than making one.
  static constexpr bool kGivesRequests = [] {
    for (const Argument& one : arguments(C))
      if (one.role == Role::request) return one.direction != Direction::out && one.type == "MPI_Request*";
    return false;
  }();
  static constexpr std::size_t kIndex = find_argument(C, "index");
  static constexpr std::size_t kIndices = find_argument(C, "indices");

  template <std::size_t I>
  std::int64_t items() const {
    return recording_.template items<I>();
  }

  // Whose partner is named: counted from the caller. A root is the same for all.
  static constexpr bool is_partner(std::string_view name) {
    return name.find("root") == std::string_view::npos && name.find("leader") == std::string_view::npos;
  }

  template <std::size_t I>
  void put_one(Lane& lane, Draft& draft, int value) {
    using trace::Encoding;
    constexpr const Argument& argument = arguments(C)[I];
    draft.values[I] = value;
    constexpr bool is_rank = argument.role == Role::rank;
    constexpr bool is_relative = is_rank && is_partner(argument.name);
    const char* const name = value >= 0 ? nullptr : is_rank ? name_of_rank(value) : name_of_tag(value);
    if (name != nullptr) [[unlikely]] {
      draft.put(I, Encoding::text, lane.number_of_name(name));
    } else if (is_relative && own_rank_ >= 0) {
      draft.put(I, Encoding::relative, static_cast<std::uint64_t>(std::int64_t{value} - own_rank_));
    } else {
      draft.put(I, Encoding::literal, static_cast<std::uint64_t>(std::int64_t{value}));
    }
  }

  template <std::size_t I>
  void put_some(Lane& lane, Draft& draft) {
    using trace::Encoding;
    constexpr const Argument& argument = arguments(C)[I];
    const auto given = std::get<I>(recording_.args());
    if (As<I>::is_null(given)) {
      draft.put(I, Encoding::null);
    } else if (!recording_.template is_there<I>()) {
      draft.put(I, Encoding::absent);
    } else if constexpr (argument.many.many == Many::one && argument.items == 1) {
      put_one<I>(lane, draft, static_cast<int>(As<I>::item(given, 0)));
    } else {
      constexpr bool relative =
          argument.name == "sources" || argument.name == "destinations" || argument.name == "neighbors";
      ListText list(lane.list_room());
      const std::int64_t count = items<I>();
      for (std::int64_t k = 0; k < count; ++k)
        put_item(list, As<I>::item(given, static_cast<std::size_t>(k)), relative);
      if (count < 0)
        draft.put(I, Encoding::absent);
      else
        put_list(I, list, lane, draft);
    }
  }

  void put_item(ListText& list, int rank, bool relative) const {
    if (const char* const name = name_of_rank(rank))
      list.put_name(name);
    else if (relative)
      list.put_relative(std::int64_t{rank} - own_rank_);
    else
      list.put_number(rank);
  }

  Requests::Request find_request(std::int64_t at) const {
    const auto bits_at = [&](std::int64_t i) {
      return mpi::bits_of(
          As<kRequests>::item(std::get<kRequests>(recording_.args()), static_cast<std::size_t>(i)));
    };
    const std::uint64_t bits = bits_at(at);
    const Requests::Request found = library().requests.find(bits);
    if (!found.shared) return found;
    std::uint32_t before = 0;
    for (std::int64_t i = 0; i < at; ++i) before += bits_at(i) == bits ? 1 : 0;
    return library().requests.find(bits, before);
  }

  // Whether the call says that request `at` is over.
  bool is_complete(std::int64_t at) const {
    if constexpr (info(C).closes) return true;
    if (!flag_is_set()) return false;
    if constexpr (kIndex != kNone) return As<kIndex>::item(std::get<kIndex>(recording_.args()), 0) == at;
    if constexpr (kIndices != kNone) {
      const std::int64_t count = items<kIndices>();
      for (std::int64_t i = 0; i < count; ++i)
        if (As<kIndices>::item(std::get<kIndices>(recording_.args()), static_cast<std::size_t>(i)) == at)
          return true;
      return false;
    }
    return true;
  }

  template <std::size_t I>
  void put_request(Lane& lane, Draft& draft) {
    using trace::Encoding;
    const auto given = std::get<I>(recording_.args());
    constexpr const Argument& argument = arguments(C)[I];
    if constexpr (argument.direction != Direction::out && kGivesRequests) {
      if constexpr (argument.many.many == Many::one) {
        if (count_ == 1 && requests_[0].known())
          draft.put(I, Encoding::literal, requests_[0].id);
        else
          draft.put(I, Encoding::null);
      } else {
        ListText list(lane.list_room());
        for (std::int64_t k = 0; k < count_; ++k) {
          if (requests_[k].known())
            list.put_number(requests_[k].id);
          else
            list.put_nothing();
        }
        put_list(I, list, lane, draft);
      }
    } else if constexpr (argument.direction == Direction::out && argument.many.many == Many::one) {
      if (recording_.has_failed()) {
        draft.put(I, Encoding::absent);
        return;
      }
      std::uint64_t signature = 0;
      for (std::size_t k = 0; k < draft.count; ++k)
        signature = (signature ^ draft.words[k]) * 0x9E3779B97F4A7C15U;
      // Nobody sends from MPI_PROC_NULL, and MPICH leaves such a status as it was.
      constexpr std::size_t source = find_argument(C, "source");
      constexpr bool is_receive =
          name(C).find("recv") != std::string_view::npos || name(C) == "MPI_Recv_init";
      bool receives = is_receive;
      if constexpr (is_receive && source != kNone)
        receives = As<source>::value(std::get<source>(recording_.args())) != MPI_PROC_NULL;
      const Requests::Request made =
          library().requests.add(mpi::bits_of(As<I>::item(given, 0)), signature, receives, info(C).persistent,
                                 info(C).layer == Layer::mpiio);
      draft.put(I, Encoding::literal, made.id);
    } else if constexpr (As<I>::kIsValue) {
      const Requests::Request found = library().requests.find(mpi::bits_of(As<I>::value(given)));
      if (found.known())
        draft.put(I, Encoding::literal, found.id);
      else
        draft.put(I, Encoding::null);
    } else {
      draft.put(I, Encoding::absent);
    }
  }

  // Who sent and with which tag, where that is known: a send has no such status.
  template <std::size_t I>
  void put_status(Lane& lane, Draft& draft) {
    using trace::Encoding;
    const auto given = std::get<I>(recording_.args());
    constexpr const Argument& argument = arguments(C)[I];
    if constexpr (I != kStatuses || info(C).layer == Layer::mpiio) {  // those of files tell of no message
      draft.put(I, Encoding::absent);
    } else if constexpr (argument.many.many == Many::one) {
      if (!has_status(0)) {
        draft.put(I, Encoding::absent);
        return;
      }
      const MPI_Status status = As<I>::item(given, 0);
      const bool relative = name_of_rank(status.MPI_SOURCE) == nullptr;
      const auto source = static_cast<std::uint32_t>(status.MPI_SOURCE - (relative ? own_rank_ : 0));
      draft.put(I, relative ? Encoding::relative : Encoding::literal,
                std::uint64_t{source} << 32 | static_cast<std::uint32_t>(status.MPI_TAG));
    } else {
      ListText list(lane.list_room());
      const std::int64_t count = recording_.has_failed() || !flag_is_set() ? 0 : items<I>();
      for (std::int64_t k = 0; k < count; ++k) {
        if (!has_status(k)) {
          list.put_nothing();
          list.put_nothing();
          continue;
        }
        const MPI_Status status = As<I>::item(given, static_cast<std::size_t>(k));
        put_item(list, status.MPI_SOURCE, true);
        list.put_number(status.MPI_TAG);
      }
      put_list(I, list, lane, draft);
    }
  }

  bool flag_is_set() const {
    if constexpr (kFlag != kNone && !As < kFlag < kNone ? kFlag : 0 > ::kIsValue)
      return As<kFlag>::item(std::get<kFlag>(recording_.args()), 0) != 0;
    return true;
  }

  // Whether status `at` tells of a message that was received.
  bool has_status(std::int64_t at) const {
    if (recording_.has_failed() || !flag_is_set()) return false;
    if constexpr (kRequests == kNone) {
      return true;
    } else if constexpr (!kGivesRequests) {
      return false;
    } else {
      std::int64_t request = at;
      if constexpr (kIndex != kNone) request = As<kIndex>::item(std::get<kIndex>(recording_.args()), 0);
      if constexpr (kIndices != kNone)
        request = As<kIndices>::item(std::get<kIndices>(recording_.args()), static_cast<std::size_t>(at));
      return request >= 0 && request < count_ && requests_[request].known() && requests_[request].receives;
    }
  }

  void meet_new_communicators(Lane& lane) {
    Recording::for_each([&](auto index) {
      constexpr std::size_t i = index;
      if constexpr (arguments(C)[i].role == Role::communicator &&
                    arguments(C)[i].direction == Direction::out) {
        const auto comm = As<i>::item(std::get<i>(recording_.args()), 0);
        if (library().objects.find(Role::communicator, mpi::bits_of(comm)).is_null()) return;
        std::uint32_t parent = 0;
        if constexpr (kCommunicator != kNone)
          parent =
              library()
                  .objects
                  .find(Role::communicator,
                        mpi::bits_of(As<kCommunicator>::value(std::get<kCommunicator>(recording_.args()))))
                  .id;
        agree_on(comm, parent, &lane);
      }
    });
  }

  Recording& recording_;
  int own_rank_ = -1;
  bool inter_ = false;  // the call's communicator has two groups
  std::int64_t count_ = 0;
  Requests::Request* requests_ = nullptr;
  Scratch<Requests::Request, kRequests != kNone ? 16 : 1> request_memory_;
  Scratch<MPI_Status, kStatuses != kNone ? 8 : 1> status_memory_;
};

}  // namespace weir::capture::mpi

namespace weir::capture {

// Statuses may be ignored, handles may be written later, memory may stand for something else.
template <>
struct Passed<MPI_Status*> {
  static constexpr bool kIsValue = false;
  using Item = MPI_Status;
  static bool is_null(const MPI_Status* argument) { return argument == nullptr; }
  static bool is_ignored(const MPI_Status* argument) {
    return argument == MPI_STATUS_IGNORE;  // both libraries have the same for MPI_STATUSES_IGNORE
  }
  static void replace(MPI_Status*& argument, MPI_Status* own) { argument = own; }
  static MPI_Status item(const MPI_Status* argument, std::size_t i) { return argument[i]; }
};

}  // namespace weir::capture

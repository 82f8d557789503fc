#pragma once

#include <cstddef>

#include "capture/draft.hpp"
#include "capture/lane.hpp"
#include "capture/list_text.hpp"
#include "capture/objects.hpp"
#include "trace/encoding.hpp"

namespace weir::capture {

// How objects and lists go into a signature.

inline void put_object(std::size_t at, const Objects::Object& object, Lane& lane, Draft& draft) {
  using trace::Encoding;
  if (!object.used) {
    draft.put(at, Encoding::absent);
  } else if (object.is_null()) {
    draft.put(at, Encoding::null);
  } else if (object.name != nullptr) {
    draft.put(at, Encoding::text, lane.number_of_name(object.name));
  } else {
    draft.values[at] = object.id;
    draft.put(at, Encoding::literal, object.id);
  }
}

inline void put_item(ListText& list, const Objects::Object& object) {
  if (object.is_null() || !object.used)
    list.put_nothing();
  else if (object.name != nullptr)
    list.put_name(object.name);
  else
    list.put_number(object.id);
}

inline void put_list(std::size_t at, const ListText& list, Lane& lane, Draft& draft) {
  if (list.is_whole()) {
    draft.put(at, trace::Encoding::list, lane.number_of_list(list.text()));
  } else {
    lane.count_cut();
    draft.put(at, trace::Encoding::absent);
  }
}

}  // namespace weir::capture

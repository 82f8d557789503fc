# What only a later HDF5 has compiles against its header: functions that begin with where they are called from and
# are macros of that name too, structures by value, and names that became macros of others.
#   cmake -D GENERATE=... -D COMPILER=... -D TABLES=... -D SOURCES=... -D HANDLER=... -D INCLUDE=... -D WORK=... -P later_hdf5.cmake
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}/later")
execute_process(COMMAND "${GENERATE}" "${WORK}" "${WORK}" ${TABLES} COMMAND_ERROR_IS_FATAL ANY)
set(includes)
foreach(one IN LISTS INCLUDE)
  list(APPEND includes -isystem "${one}")
endforeach()
# As 1.14 declares them.
file(WRITE "${WORK}/later/hdf5.h" [[
#include_next <hdf5.h>
extern "C" {
typedef struct { unsigned char bytes[16]; } H5O_token_t;
typedef struct { int type; } H5L_info2_t;
typedef herr_t (*H5L_iterate2_t)(hid_t group, const char* name, const H5L_info2_t* info, void* op_data);
herr_t H5Literate2(hid_t grp_id, H5_index_t idx_type, H5_iter_order_t order, hsize_t* idx, H5L_iterate2_t op, void* op_data);
hid_t H5Oopen_by_token(hid_t loc_id, H5O_token_t token);
hid_t H5EScreate(void);
herr_t H5Dwrite_async(const char* app_file, const char* app_func, unsigned app_line, hid_t dset_id, hid_t mem_type_id,
                      hid_t mem_space_id, hid_t file_space_id, hid_t dxpl_id, const void* buf, hid_t es_id);
herr_t H5Dread_multi(size_t count, hid_t dset_id[], hid_t mem_type_id[], hid_t mem_space_id[], hid_t file_space_id[],
                     hid_t dxpl_id, void* buf[]);
}
#define H5Literate H5Literate2
#define H5Dwrite_async(...) H5Dwrite_async(__FILE__, __func__, __LINE__, __VA_ARGS__)
]])
set(has)
foreach(name IN ITEMS H5Literate2 H5Oopen_by_token H5EScreate H5Dwrite_async H5Dread_multi H5Dwrite)
  list(APPEND has "-DWEIR_HAS_${name}=1")
endforeach()
execute_process(COMMAND "${COMPILER}" -std=c++20 -fsyntax-only ${has} -I "${WORK}/later" -I "${WORK}" -I "${SOURCES}" ${includes}
  "-DWEIR_HANDLER=\"${HANDLER}\"" "${WORK}/shims/hdf5.cpp" RESULT_VARIABLE status ERROR_VARIABLE errors)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "rows of a later HDF5 do not compile:\n${errors}")
endif()
message(STATUS "rows of a later HDF5 compile")

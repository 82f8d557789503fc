! Many functions of MPI as Fortran programs call them with "use mpi_f08", on two ranks. The error code may be
! left out.
module checks
  use mpi_f08
  implicit none
  integer :: rank, other, ierror
contains
  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    if (condition) return
    write (0, '(2a)') 'not so: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end subroutine check
end module checks

program every_call_f08
  use mpi_f08
  use checks
  implicit none
  integer :: size, provided
  logical :: flag

  call MPI_Initialized(flag, ierror)
  call check(.not. flag, 'not started')
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call check(ierror == MPI_SUCCESS, 'started')
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call check(size == 2, 'two ranks')
  other = 1 - rank
  call ask()
  call use_messages()
  call use_requests()
  call use_persistent_requests()
  call use_collectives()
  call use_communicators()
  call use_topologies()
  call use_datatypes()
  call use_windows()
  call use_info()
  call use_files()
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) print '(a)', 'done'
  call MPI_Finalize(ierror)
  call MPI_Finalized(flag, ierror)
  if (.not. flag) stop 1

contains

  subroutine ask()
    character(len=MPI_MAX_PROCESSOR_NAME) :: name
    integer :: length, version, subversion
    double precision :: before, after, tick
    call MPI_Get_processor_name(name, length, ierror)
    call check(length > 0 .and. len_trim(name) == length, 'name of the machine')
    call MPI_Get_version(version, subversion, ierror)
    call check(version >= 3, 'version')
    call MPI_Query_thread(provided, ierror)
    call MPI_Is_thread_main(flag, ierror)
    call check(flag, 'main thread')
    before = MPI_Wtime()
    after = MPI_Wtime()
    tick = MPI_Wtick()
    call check(after >= before .and. tick > 0, 'time')
  end subroutine ask

  subroutine use_messages()
    type(MPI_Status) :: status
    integer :: count, data(4), got(4)
    data = [rank, rank + 1, rank + 2, rank + 3]
    got = -1
    if (rank == 0) then
      call MPI_Send(data, 4, MPI_INTEGER, 1, 21, MPI_COMM_WORLD, ierror)
      call MPI_Ssend(data, 3, MPI_INTEGER, 1, 22, MPI_COMM_WORLD, ierror)
      call MPI_Recv(got, 4, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, &
          ierror)
      call check(got(1) == 1, 'answer')
    else
      call MPI_Probe(0, 21, MPI_COMM_WORLD, status, ierror)
      call MPI_Get_count(status, MPI_INTEGER, count, ierror)
      call check(count == 4, 'probed')
      call MPI_Recv(got, 4, MPI_INTEGER, 0, 21, MPI_COMM_WORLD, status, ierror)
      call check(got(4) == 3 .and. status%MPI_SOURCE == 0 .and. status%MPI_TAG == 21, 'received')
      call MPI_Recv(got, 4, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierror)
      call MPI_Get_elements(status, MPI_INTEGER, count, ierror)
      call check(count == 3 .and. status%MPI_TAG == 22, 'received any')
      call MPI_Send(data, 1, MPI_INTEGER, 0, 23, MPI_COMM_WORLD, ierror)
    end if
    call MPI_Sendrecv(data, 4, MPI_INTEGER, other, 24, got, 4, MPI_INTEGER, other, 24, MPI_COMM_WORLD, &
        status, ierror)
    call check(got(2) == other + 1, 'exchanged')
    call MPI_Sendrecv_replace(got, 4, MPI_INTEGER, other, 25, other, 25, MPI_COMM_WORLD, &
        MPI_STATUS_IGNORE, ierror)
    call check(got(2) == rank + 1, 'exchanged back')
    call MPI_Send(data, 1, MPI_INTEGER, MPI_PROC_NULL, 26, MPI_COMM_WORLD, ierror)
  end subroutine use_messages

  subroutine use_requests()
    type(MPI_Request) :: requests(6)
    type(MPI_Status) :: statuses(6), status
    integer :: i, round, index, outcount, indices(6), left
    real, volatile :: sent(3), got(3)
    do round = 1, 6
      sent = [(rank * 10.0 + round + i, i = 1, 3)]
      got = 0
      do i = 1, 3
        call MPI_Irecv(got(i), 1, MPI_REAL, other, 30 + i, MPI_COMM_WORLD, requests(i), ierror)
      end do
      do i = 1, 3
        call MPI_Isend(sent(i), 1, MPI_REAL, other, 30 + i, MPI_COMM_WORLD, requests(3 + i), ierror)
      end do
      select case (round)
      case (1)
        call MPI_Waitall(6, requests, statuses, ierror)
        call check(statuses(2)%MPI_SOURCE == other .and. statuses(2)%MPI_TAG == 32, 'statuses')
      case (2)
        do i = 1, 6
          call MPI_Waitany(6, requests, index, status, ierror)
          call check(index >= 0 .and. index <= 6, 'index counts from one; in MPICH 4.0 from zero')
        end do
      case (3)
        left = 6
        do while (left > 0)
          call MPI_Waitsome(6, requests, outcount, indices, MPI_STATUSES_IGNORE, ierror)
          call check(outcount >= 1 .and. minval(indices(1:outcount)) >= 0, 'some')
          left = left - outcount
        end do
      case (4)
        flag = .false.
        do while (.not. flag)
          call MPI_Testall(6, requests, flag, MPI_STATUSES_IGNORE, ierror)
        end do
      case (5)
        do i = 1, 6
          flag = .false.
          do while (.not. flag)
            call MPI_Test(requests(i), flag, status, ierror)
          end do
        end do
      case default
        left = 6
        do while (left > 0)
          call MPI_Testany(6, requests, index, flag, MPI_STATUS_IGNORE, ierror)
          if (flag) left = left - 1
        end do
      end select
      do i = 1, 6
        call check(requests(i) == MPI_REQUEST_NULL, 'over')
      end do
      call check(all(nint(got) == [(other * 10 + round + i, i = 1, 3)]), 'all received')
    end do
    call MPI_Irecv(got, 1, MPI_REAL, other, 39, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Cancel(requests(1), ierror)
    call MPI_Wait(requests(1), status, ierror)
    call MPI_Test_cancelled(status, flag, ierror)
    call check(flag, 'cancelled')
  end subroutine use_requests

  subroutine use_persistent_requests()
    type(MPI_Request) :: requests(2)
    integer :: round
    double precision, volatile :: sent, got
    call MPI_Recv_init(got, 1, MPI_DOUBLE_PRECISION, other, 41, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Send_init(sent, 1, MPI_DOUBLE_PRECISION, other, 41, MPI_COMM_WORLD, requests(2), ierror)
    do round = 1, 3
      sent = rank + round * 0.5d0
      if (round == 2) then
        call MPI_Start(requests(1), ierror)
        call MPI_Start(requests(2), ierror)
      else
        call MPI_Startall(2, requests, ierror)
      end if
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
      call check(abs(got - other - round * 0.5d0) < 1d-9, 'started again')
    end do
    call MPI_Request_free(requests(1), ierror)
    call MPI_Request_free(requests(2), ierror)
  end subroutine use_persistent_requests

  subroutine use_collectives()
    integer, volatile :: value
    integer :: values(2), all_values(4), counts(2), places(2)
    type(MPI_Op) :: op
    type(MPI_Request) :: request
    value = merge(77, 0, rank == 1)
    call MPI_Bcast(value, 1, MPI_INTEGER, 1, MPI_COMM_WORLD, ierror)
    call check(value == 77, 'told by the root')
    values = [rank, rank + 5]
    call MPI_Gather(values, 2, MPI_INTEGER, all_values, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    if (rank == 0) call check(all(all_values == [0, 5, 1, 6]), 'gathered')
    call MPI_Scatter(all_values, 2, MPI_INTEGER, values, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call check(all(values == [rank, rank + 5]), 'scattered')
    counts = [1, 2]
    places = [0, 1]
    all_values = -1
    call MPI_Gatherv(values, rank + 1, MPI_INTEGER, all_values, counts, places, MPI_INTEGER, 1, &
        MPI_COMM_WORLD, ierror)
    if (rank == 1) call check(all(all_values == [0, 1, 6, -1]), 'gathered unequal parts')
    call MPI_Allgatherv(values, rank + 1, MPI_INTEGER, all_values, counts, places, MPI_INTEGER, &
        MPI_COMM_WORLD, ierror)
    call check(all(all_values(1:3) == [0, 1, 6]), 'gathered at all')
    all_values(rank + 1) = rank + 3
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all_values, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call check(all(all_values(1:2) == [3, 4]), 'gathered in place')
    values = [10 * rank, 10 * rank + 1]
    call MPI_Alltoall(values, 1, MPI_INTEGER, all_values, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call check(all(all_values(1:2) == [rank, 10 + rank]), 'all to all')
    call MPI_Reduce(rank, value, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
    if (rank == 0) call check(value == 1, 'sum')
    value = rank + 2
    call MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INTEGER, MPI_PROD, MPI_COMM_WORLD, ierror)
    call check(value == 6, 'product in place')
    call MPI_Scan(rank, value, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call check(value == rank, 'sum up to here')
    call MPI_Op_create(larger, .true., op, ierror)
    call MPI_Allreduce(rank, value, 1, MPI_INTEGER, op, MPI_COMM_WORLD, ierror)
    call check(value == 1, 'operation of the program')
    call MPI_Op_free(op, ierror)
    call MPI_Ibarrier(MPI_COMM_WORLD, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call MPI_Iallreduce(rank, value, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call check(value == 1, 'maximum')
  end subroutine use_collectives

  subroutine larger(in, inout, length, datatype)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: in, inout
    integer :: length
    type(MPI_Datatype) :: datatype
    integer, pointer :: these(:), those(:)
    if (datatype /= MPI_INTEGER) return
    call c_f_pointer(in, these, [length])
    call c_f_pointer(inout, those, [length])
    those = max(these, those)
  end subroutine larger

  subroutine use_communicators()
    type(MPI_Comm) :: comm, inter
    type(MPI_Group) :: group, part
    type(MPI_Request) :: request
    integer :: size, place, found(2), comparison, length
    character(len=MPI_MAX_OBJECT_NAME) :: name
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
    call MPI_Comm_compare(comm, MPI_COMM_WORLD, comparison, ierror)
    call check(comparison == MPI_CONGRUENT, 'congruent')
    call MPI_Comm_set_name(comm, 'a pair', ierror)
    call MPI_Comm_get_name(comm, name, length, ierror)
    call check(length == 6 .and. name == 'a pair', 'name')
    call MPI_Comm_group(comm, group, ierror)
    call MPI_Group_size(group, size, ierror)
    call MPI_Group_incl(group, 1, [1], part, ierror)
    call MPI_Group_rank(part, place, ierror)
    call check(size == 2 .and. place == merge(0, MPI_UNDEFINED, rank == 1), 'group')
    call MPI_Group_translate_ranks(group, 2, [0, 1], part, found, ierror)
    call check(found(1) == MPI_UNDEFINED .and. found(2) == 0, 'translated')
    call MPI_Group_free(part, ierror)
    call MPI_Group_free(group)
    call MPI_Comm_free(comm)
    call MPI_Comm_idup(MPI_COMM_WORLD, comm, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call MPI_Barrier(comm, ierror)
    call check(ierror == MPI_SUCCESS, 'a copy in the making')
    call MPI_Comm_free(comm, ierror)
    call MPI_Comm_split(MPI_COMM_WORLD, 1, -rank, comm, ierror)
    call MPI_Comm_rank(comm, place, ierror)
    call check(place == other, 'turned around')
    call MPI_Comm_free(comm)
    call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, comm, ierror)
    call MPI_Comm_free(comm)
    call MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, other, 51, inter, ierror)
    call MPI_Comm_remote_size(inter, size, ierror)
    call MPI_Comm_test_inter(inter, flag, ierror)
    call check(flag .and. size == 1, 'between')
    call MPI_Intercomm_merge(inter, rank == 1, comm, ierror)
    call MPI_Comm_free(comm)
    call MPI_Comm_free(inter, ierror)
    call check(inter == MPI_COMM_NULL, 'gone')
  end subroutine use_communicators

  subroutine use_topologies()
    type(MPI_Comm) :: grid
    integer :: dims(2), coords(2), place, source, dest, kind
    dims = [2, 0]
    call MPI_Dims_create(2, 2, dims, ierror)
    call check(all(dims == [2, 1]), 'dimensions')
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., grid, ierror)
    call MPI_Topo_test(grid, kind, ierror)
    call check(kind == MPI_CART, 'grid')
    call MPI_Cart_coords(grid, rank, 2, coords, ierror)
    call MPI_Cart_rank(grid, coords, place, ierror)
    call check(place == rank, 'place')
    call MPI_Cart_shift(grid, 0, 1, source, dest, ierror)
    call check(source == other .and. dest == other, 'neighbours')
    call MPI_Comm_free(grid, ierror)
  end subroutine use_topologies

  subroutine use_datatypes()
    type(MPI_Datatype) :: type
    integer :: bytes, position, data(12), got(12), i
    integer(kind=MPI_ADDRESS_KIND) :: lb, extent
    character :: packed(64)
    data = [(100 * rank + i, i = 1, 12)]
    got = -1
    call MPI_Type_vector(3, 2, 4, MPI_INTEGER, type, ierror)
    call MPI_Type_commit(type, ierror)
    call MPI_Type_size(type, bytes, ierror)
    call MPI_Type_get_extent(type, lb, extent, ierror)
    call check(bytes == 24 .and. lb == 0 .and. extent == 40, 'vector')
    call MPI_Sendrecv(data, 1, type, other, 61, got, 1, type, other, 61, MPI_COMM_WORLD, &
        MPI_STATUS_IGNORE, ierror)
    call check(got(1) == 100 * other + 1 .and. got(3) == -1 .and. got(10) == 100 * other + 10, 'strided')
    call MPI_Type_free(type)
    call MPI_Type_contiguous(3, MPI_REAL, type, ierror)
    call MPI_Type_free(type)
    call MPI_Type_indexed(2, [1, 2], [0, 5], MPI_INTEGER, type, ierror)
    call MPI_Type_free(type)
    call MPI_Type_create_subarray(2, [4, 4], [2, 2], [1, 1], MPI_ORDER_FORTRAN, MPI_INTEGER, type, ierror)
    call MPI_Type_free(type)
    call check(type == MPI_DATATYPE_NULL, 'gone')
    position = 0
    call MPI_Pack(data, 3, MPI_INTEGER, packed, 64, position, MPI_COMM_WORLD, ierror)
    position = 0
    call MPI_Unpack(packed, 64, position, got, 3, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call check(all(got(1:3) == data(1:3)), 'packed')
  end subroutine use_datatypes

  subroutine use_windows()
    type(MPI_Win) :: win
    integer :: put
    integer, save, volatile :: memory(8), got
    integer(kind=MPI_ADDRESS_KIND) :: bytes, at
    memory = rank
    bytes = 32
    call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
    put = 100 + rank
    call MPI_Win_fence(0, win)
    at = 2
    call MPI_Put(put, 1, MPI_INTEGER, other, at, 1, MPI_INTEGER, win, ierror)
    at = 5
    call MPI_Get(got, 1, MPI_INTEGER, other, at, 1, MPI_INTEGER, win, ierror)
    at = 7
    call MPI_Accumulate(put, 1, MPI_INTEGER, other, at, 1, MPI_INTEGER, MPI_SUM, win, ierror)
    call MPI_Win_fence(0, win)
    call check(memory(3) == 100 + other .and. got == other .and. memory(8) == 100 + other + rank, 'window')
    call MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win, ierror)
    at = 2
    call MPI_Get(got, 1, MPI_INTEGER, other, at, 1, MPI_INTEGER, win, ierror)
    call MPI_Win_unlock(other, win, ierror)
    call check(got == 100 + rank, 'locked')
    call MPI_Win_free(win)
  end subroutine use_windows

  subroutine use_info()
    type(MPI_Info) :: info
    integer :: keys
    character(len=20) :: value
    call MPI_Info_create(info, ierror)
    call MPI_Info_set(info, 'colour', 'green', ierror)
    call MPI_Info_get_nkeys(info, keys, ierror)
    call check(keys == 1, 'keys')
    call MPI_Info_get(info, 'colour', 20, value, flag, ierror)
    call check(flag .and. value == 'green', 'value')
    call MPI_Info_delete(info, 'colour', ierror)
    call MPI_Info_free(info)
  end subroutine use_info

  subroutine use_files()
    type(MPI_File) :: file
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    integer :: data(16), got(16), i, count
    integer(kind=MPI_OFFSET_KIND) :: at, bytes
    data = [(1000 * rank + i, i = 1, 16)]
    call MPI_File_open(MPI_COMM_WORLD, 'every_call_f08.dat', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, &
                       file, ierror)
    call check(ierror == MPI_SUCCESS, 'opened')
    at = 64 * rank
    call MPI_File_write_at(file, at, data, 16, MPI_INTEGER, status, ierror)
    call MPI_Get_count(status, MPI_INTEGER, count, ierror)
    call check(count == 16, 'written')
    at = 64 * (2 + rank)
    call MPI_File_write_at_all(file, at, data, 16, MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
    at = 64 * (4 + rank)
    call MPI_File_iwrite_at(file, at, data, 16, MPI_INTEGER, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call MPI_File_sync(file, ierror)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_File_get_size(file, bytes, ierror)
    call check(bytes == 384, 'size')
    at = 64 * (4 + other)
    call MPI_File_read_at(file, at, got, 16, MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
    call check(got(16) == 1000 * other + 16, 'read')
    at = 64 * other
    call MPI_File_set_view(file, at, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL, ierror)
    call MPI_File_read_all(file, got, 16, MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
    call check(got(1) == 1000 * other + 1, 'read through a view')
    at = 3
    call MPI_File_seek(file, at, MPI_SEEK_SET, ierror)
    call MPI_File_get_position(file, at, ierror)
    call check(at == 3, 'position')
    call MPI_File_close(file)
    call MPI_Barrier(MPI_COMM_WORLD)
    if (rank == 0) call MPI_File_delete('every_call_f08.dat', MPI_INFO_NULL, ierror)
  end subroutine use_files

end program every_call_f08

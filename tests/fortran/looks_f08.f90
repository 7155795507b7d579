! MPI_Ibarrier of mpi_f08 on rank 0 and of C on rank 1. Then functions that look for something that
! was sent before the last rank came to a barrier: they find it, as they do without the runtime.
program looks
  use mpi_f08
  implicit none
  interface
    subroutine barrier_in_c(comm) bind(c)
      use iso_c_binding
      integer(c_int), value :: comm
    end subroutine
  end interface
  integer, parameter :: times = 40
  integer :: rank, i, got, missed(4)
  integer, asynchronous :: word, memory(1)
  logical :: found
  type(MPI_Group) :: all_ranks, peer
  type(MPI_Message) :: message
  type(MPI_Request) :: request
  type(MPI_Status) :: status
  type(MPI_Win) :: window

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  word = rank
  call MPI_Bcast(word, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call MPI_Bcast(word, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
  do i = 1, 3
    if (rank == 0) then
      call MPI_Ibarrier(MPI_COMM_WORLD, request)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
    else
      call barrier_in_c(MPI_COMM_WORLD%MPI_VAL)
    end if
  end do

  missed = 0
  call MPI_Comm_group(MPI_COMM_WORLD, all_ranks)
  call MPI_Group_incl(all_ranks, 1, [1 - rank], peer)
  call MPI_Win_create(memory, 4_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window)
  do i = 1, times
    call send_before_barrier()
    if (rank == 1) then
      call MPI_Iprobe(0, 5, MPI_COMM_WORLD, found, MPI_STATUS_IGNORE)
      call count_if_missed(1)
      call MPI_Recv(got, 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end if
    call send_before_barrier()
    if (rank == 1) then
      call MPI_Improbe(0, 5, MPI_COMM_WORLD, found, message, MPI_STATUS_IGNORE)
      call count_if_missed(2)
      if (.not. found) call MPI_Mprobe(0, 5, MPI_COMM_WORLD, message, MPI_STATUS_IGNORE)
      call MPI_Mrecv(got, 1, MPI_INTEGER, message, MPI_STATUS_IGNORE)
    end if
    if (rank == 1) then
      call MPI_Win_post(peer, 0, window)
    else
      call MPI_Win_start(peer, 0, window)
      call MPI_Win_complete(window)
    end if
    call MPI_Barrier(MPI_COMM_WORLD)
    if (rank == 1) then
      call MPI_Win_test(window, found)
      call count_if_missed(3)
      if (.not. found) call MPI_Win_wait(window)
    end if
    if (rank == 1) call MPI_Irecv(word, 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, request)
    call MPI_Barrier(MPI_COMM_WORLD)
    call send_before_barrier()
    if (rank == 1) then
      call MPI_Cancel(request)
      call MPI_Wait(request, status)
      call MPI_Test_cancelled(status, found)
      found = .not. found
      call count_if_missed(4)
      if (.not. found) call MPI_Recv(got, 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end if
  end do
  if (rank == 1) write (*, '(a,3(i0,1x),i0)') 'looks: missed=', missed
  call MPI_Win_free(window)
  call MPI_Finalize()

contains

  subroutine send_before_barrier()
    if (rank == 0) call MPI_Send(i, 1, MPI_INTEGER, 1, 5, MPI_COMM_WORLD)
    call MPI_Barrier(MPI_COMM_WORLD)
  end subroutine

  subroutine count_if_missed(function_number)
    integer, intent(in) :: function_number
    if (.not. found) missed(function_number) = missed(function_number) + 1
  end subroutine
end program

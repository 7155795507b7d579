! Nonblocking and persistent collectives, with `use mpi`, or mpi_f08 where F08 is defined.
! NO_PERSISTENT: the MPI library has none.
program nonblocking
#ifdef F08
  use mpi_f08
  implicit none
  type(MPI_Request) :: request, requests(2)
#else
  use mpi
  implicit none
  integer :: request, requests(2)
#endif
  integer, parameter :: rounds = 5, n = 3000
  integer :: ierr, rank, ranks, round, wrong
  logical :: done
  integer, asynchronous :: given(n), sums(n), broadcast(n)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  wrong = 0
  ! Two blocking calls with buffers: the second one gives the communicator shared memory.
  call MPI_Bcast(wrong, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(wrong, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)

  do round = 1, rounds
    call MPI_Ibarrier(MPI_COMM_WORLD, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)

    call fill(round)
    call MPI_Ibcast(broadcast, n, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Iallreduce(given, sums, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    call check(round)

    call fill(round + 100)
    call MPI_Ireduce(given, sums, n, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, request, ierr)
    done = .false.
    do while (.not. done)
      call MPI_Test(request, done, MPI_STATUS_IGNORE, ierr)
    end do
    if (rank == 0) wrong = wrong + count(sums /= expected_sum(round + 100))
  end do

#ifndef NO_PERSISTENT
  call MPI_Bcast_init(broadcast, n, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &
                      requests(1), ierr)
  call MPI_Allreduce_init(given, sums, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &
                          requests(2), ierr)
  do round = 1, rounds
    call fill(round)
    if (mod(round, 2) == 0) then
      call MPI_Startall(2, requests, ierr)
    else
      call MPI_Start(requests(1), ierr)
      call MPI_Start(requests(2), ierr)
    end if
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    call check(round)
  end do
  call MPI_Request_free(requests(1), ierr)
  call MPI_Request_free(requests(2), ierr)
#endif

  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,i0)', 'nonblocking: wrong=', wrong
  call MPI_Finalize(ierr)

contains

  subroutine fill(seed)
    integer, intent(in) :: seed
    given = seed * (rank + 1)
    sums = -1
    broadcast = merge(seed, -1, rank == ranks - 1)
  end subroutine

  integer function expected_sum(seed)
    integer, intent(in) :: seed
    expected_sum = seed * ranks * (ranks + 1) / 2
  end function

  subroutine check(seed)
    integer, intent(in) :: seed
    wrong = wrong + count(sums /= expected_sum(seed)) + count(broadcast /= seed)
  end subroutine
end program

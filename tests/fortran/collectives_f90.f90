! The other collectives from Fortran 90, in place and not. Prints "collectives_f90: wrong=0".
program collectives
  use mpi
  implicit none
  integer, parameter :: n = 700
  integer :: rank, ranks, ierr, round, i, wrong, total
  integer, allocatable :: all(:), given(:), counts(:), places(:)
  double precision :: a(n), b(n)
  integer :: pair(2), best(2)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  allocate (all(n * ranks), given(n * ranks), counts(ranks), places(ranks))
  wrong = 0
  do round = 1, 10
    a = [(i * 1d0 + rank + round, i = 1, n)]
    call MPI_Allreduce(a, b, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    call MPI_Allreduce(MPI_IN_PLACE, a, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    do i = 1, n
      if (b(i) /= ranks * (i * 1d0 + round) + ranks * (ranks - 1) / 2) wrong = wrong + 1
      if (a(i) /= b(i)) wrong = wrong + 1
    end do

    pair = [mod(rank * 3 + round, ranks), rank]
    call MPI_Allreduce(pair, best, 1, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, ierr)
    if (mod(best(2) * 3 + round, ranks) /= best(1)) wrong = wrong + 1

    a = rank
    if (rank == 0) then
      call MPI_Reduce(MPI_IN_PLACE, a, n, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, ierr)
      if (any(a /= ranks - 1)) wrong = wrong + 1
    else
      call MPI_Reduce(a, b, n, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, ierr)
    end if

    all = -1
    all(rank * n + 1:(rank + 1) * n) = [(i + rank * round, i = 1, n)]
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, n, MPI_INTEGER, MPI_COMM_WORLD, &
                       ierr)
    do i = 1, n * ranks
      if (all(i) /= mod(i - 1, n) + 1 + (i - 1) / n * round) wrong = wrong + 1
    end do

    given = [(rank * 1000000 + i + round, i = 1, n * ranks)]
    call MPI_Alltoall(given, n, MPI_INTEGER, all, n, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    do i = 1, n * ranks
      if (all(i) /= (i - 1) / n * 1000000 + rank * n + mod(i - 1, n) + 1 + round) wrong = wrong + 1
    end do

    counts = [(mod(i * round, 5), i = 1, ranks)]
    places(1) = 0
    do i = 2, ranks
      places(i) = places(i - 1) + counts(i - 1)
    end do
    all = 0
    given = rank + 1
    call MPI_Allgatherv(given, counts(rank + 1), MPI_INTEGER, all, counts, places, MPI_INTEGER, &
                        MPI_COMM_WORLD, ierr)
    do i = 1, ranks
      if (any(all(places(i) + 1:places(i) + counts(i)) /= i)) wrong = wrong + 1
    end do

    given = rank * 10 + round
    call MPI_Gather(given, n, MPI_INTEGER, all, n, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, ierr)
    if (rank == ranks - 1) then
      do i = 1, n * ranks
        if (all(i) /= (i - 1) / n * 10 + round) wrong = wrong + 1
      end do
    end if
    call MPI_Scatter(all, n, MPI_INTEGER, given, n, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, ierr)
    if (any(given(1:n) /= rank * 10 + round)) wrong = wrong + 1

    all = rank
    if (rank == ranks - 1) all = [(i * round, i = 1, n * ranks)]
    call MPI_Bcast(all, n * ranks, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, ierr)
    if (any(all /= [(i * round, i = 1, n * ranks)])) wrong = wrong + 1

    given = [(rank + i * round, i = 1, n * ranks)]
    call MPI_Reduce_scatter_block(given, all, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    do i = 1, n
      if (all(i) /= ranks * (ranks - 1) / 2 + ranks * (rank * n + i) * round) wrong = wrong + 1
    end do
    all = 0
    call MPI_Reduce_scatter(given, all, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    do i = 1, counts(rank + 1)
      if (all(i) /= ranks * (ranks - 1) / 2 + ranks * (places(rank + 1) + i) * round) then
        wrong = wrong + 1
      end if
    end do
    if (any(all(counts(rank + 1) + 1:) /= 0)) wrong = wrong + 1
    ! Blocks of different sizes, some empty, there and back again.
    given = rank * 100 + round
    if (rank == 0) then
      all = -1
      all(places(1) + 1:places(1) + counts(1)) = round
      call MPI_Gatherv(MPI_IN_PLACE, 0, MPI_INTEGER, all, counts, places, MPI_INTEGER, 0, &
                       MPI_COMM_WORLD, ierr)
      do i = 1, ranks
        if (any(all(places(i) + 1:places(i) + counts(i)) /= (i - 1) * 100 + round)) &
          wrong = wrong + 1
      end do
      call MPI_Scatterv(all, counts, places, MPI_INTEGER, MPI_IN_PLACE, 0, MPI_INTEGER, 0, &
                        MPI_COMM_WORLD, ierr)
    else
      call MPI_Gatherv(given, counts(rank + 1), MPI_INTEGER, all, counts, places, MPI_INTEGER, 0, &
                       MPI_COMM_WORLD, ierr)
      given = -1
      call MPI_Scatterv(all, counts, places, MPI_INTEGER, given, counts(rank + 1), MPI_INTEGER, 0, &
                        MPI_COMM_WORLD, ierr)
      if (any(given(1:counts(rank + 1)) /= rank * 100 + round)) wrong = wrong + 1
      if (given(counts(rank + 1) + 1) /= -1) wrong = wrong + 1
    end if
    ! Rank r gives everybody counts(r + 1) numbers, and all(places) are as in the allgatherv.
    all = -1
    given = rank + 7 * round
    call MPI_Alltoallv(given, [(counts(rank + 1), i = 1, ranks)], [(i - 1, i = 1, ranks)], &
                       MPI_INTEGER, all, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    do i = 1, ranks
      if (any(all(places(i) + 1:places(i) + counts(i)) /= i - 1 + 7 * round)) wrong = wrong + 1
    end do
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end do
  call MPI_Reduce(wrong, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) write (*, '(a,i0)') 'collectives_f90: wrong=', total
  call MPI_Finalize(ierr)
end program

! Fortran 2008 with the module mpi_f08: typed handles, an interoperable type with a gap, a section of
! an array, a communicator of its own. Prints "f08: wrong=0".
program bcast
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: n = 30000, cells = 900
  type, bind(c) :: cell
    integer(c_int32_t) :: id
    integer(c_int32_t) :: private_number  ! not part of the message
    real(c_double) :: value
  end type
  integer :: rank, ranks, root, round, i, wrong, total
  type(MPI_Comm) :: comm
  type(MPI_Datatype) :: raw_type, cell_type
  type(cell) :: grid(cells)
  real(c_double) :: numbers(n), plane(40, 40)

  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, ranks)
  call MPI_Type_create_struct(2, [1, 1], [0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND], &
                              [MPI_INT32_T, MPI_DOUBLE], raw_type)
  call MPI_Type_create_resized(raw_type, 0_MPI_ADDRESS_KIND, 16_MPI_ADDRESS_KIND, cell_type)
  call MPI_Type_commit(cell_type)
  wrong = 0
  do round = 1, 12
    root = mod(5 * round, ranks)
    do i = 1, cells
      grid(i) = cell(0, rank, 0d0)
      if (rank == root) grid(i) = cell(i, rank, i * 0.5d0 + round)
    end do
    numbers = 0
    plane = -1
    if (rank == root) numbers = [(i * 1d0 / round, i = 1, n)]
    if (rank == root) plane(:, 7) = round
    call MPI_Bcast(grid, cells, cell_type, root, comm)
    call MPI_Bcast(numbers, n, MPI_DOUBLE_PRECISION, root, comm)
    call MPI_Bcast(plane(:, 7), 40, MPI_DOUBLE_PRECISION, root, comm)
    do i = 1, cells
      if (grid(i)%id /= i .or. grid(i)%value /= i * 0.5d0 + round) wrong = wrong + 1
      if (grid(i)%private_number /= rank) wrong = wrong + 1
    end do
    do i = 1, n
      if (numbers(i) /= i * 1d0 / round) wrong = wrong + 1
    end do
    if (any(plane(:, 7) /= round) .or. any(plane(:, 6) /= -1) .or. any(plane(:, 8) /= -1)) then
      wrong = wrong + 1
    end if
    call MPI_Barrier(comm)
  end do
  call MPI_Type_free(cell_type)
  call MPI_Type_free(raw_type)
  call MPI_Allreduce(wrong, total, 1, MPI_INTEGER, MPI_SUM, comm)
  if (rank == 0) write (*, '(a,i0)') 'f08: wrong=', total
  call MPI_Comm_free(comm)
  call MPI_Finalize()
end program

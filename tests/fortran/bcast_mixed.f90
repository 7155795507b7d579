! A program of which one part includes mpif.h and another one uses mpi_f08. With the argument "typed"
! the latter comes first. Prints "mixed: wrong=0".
module typed_part
  use mpi_f08
  implicit none
contains
  subroutine share_typed(values)
    integer, intent(inout) :: values(:)
    call MPI_Bcast(values, size(values), MPI_INTEGER, 0, MPI_COMM_WORLD)
  end subroutine share_typed
end module typed_part

subroutine share_plain(values, n)
  implicit none
  include 'mpif.h'
  integer n, values(n), ierr
  call MPI_Bcast(values, n, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
end subroutine share_plain

program mixed
  use mpi_f08
  use typed_part
  implicit none
  integer, parameter :: n = 500, rounds = 6
  integer :: values(n), rank, wrong, total, i, j
  character(len=8) :: first
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call get_command_argument(1, first)
  wrong = 0
  do j = 1, 2 * rounds
    values = -1
    if (rank == 0) values = [(i * j, i = 1, n)]
    if ((mod(j, 2) == 1) .eqv. (first == 'typed')) then
      call share_typed(values)
    else
      call share_plain(values, n)
    end if
    wrong = wrong + count(values /= [(i * j, i = 1, n)])
  end do
  call MPI_Reduce(wrong, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) write (*, '(a,i0)') 'mixed: wrong=', total
  call MPI_Finalize()
end program mixed

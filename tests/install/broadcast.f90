! Sixty broadcasts of one number; stops with an error where it does not arrive.
program broadcast
  use mpi
  implicit none
  integer :: error, rank, call, number
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  do call = 1, 60
    number = -1
    if (rank == 0) number = call
    call MPI_Bcast(number, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    if (number /= call) call MPI_Abort(MPI_COMM_WORLD, 1, error)
  end do
  call MPI_Finalize(error)
end program broadcast

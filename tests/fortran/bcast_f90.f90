! Fortran 90 with the module mpi: whole arrays and a derived type of a sequence type with a gap.
! Prints "f90: wrong=0".
program bcast
  use mpi
  implicit none
  integer, parameter :: n = 30000, particles = 700
  type particle
    sequence
    double precision :: position(3)
    integer :: id
    integer :: private_number  ! not part of the message
  end type
  integer :: ierr, rank, ranks, root, round, i, wrong, total, raw_type, particle_type
  integer(kind=MPI_ADDRESS_KIND) :: displacements(2), extent
  type(particle) :: cloud(particles)
  complex(kind=kind(1d0)), allocatable :: waves(:)
  logical :: flag

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  displacements = [0_MPI_ADDRESS_KIND, 24_MPI_ADDRESS_KIND]
  call MPI_Type_create_struct(2, [3, 1], displacements, [MPI_DOUBLE_PRECISION, MPI_INTEGER], &
                              raw_type, ierr)
  extent = 32
  call MPI_Type_create_resized(raw_type, 0_MPI_ADDRESS_KIND, extent, particle_type, ierr)
  call MPI_Type_commit(particle_type, ierr)
  allocate(waves(n))
  wrong = 0
  do round = 1, 12
    root = mod(3 * round, ranks)
    do i = 1, particles
      cloud(i) = particle([0d0, 0d0, 0d0], 0, rank)
      if (rank == root) cloud(i) = particle([i * 1d0, i * 2d0, round * 1d0], i + round, rank)
    end do
    waves = (0d0, 0d0)
    if (rank == root) waves = [(cmplx(i, round, kind(1d0)), i = 1, n)]
    flag = rank == root
    call MPI_Bcast(cloud, particles, particle_type, root, MPI_COMM_WORLD, ierr)
    if (ierr /= MPI_SUCCESS) wrong = wrong + 1
    call MPI_Bcast(waves, n, MPI_DOUBLE_COMPLEX, root, MPI_COMM_WORLD, ierr)
    call MPI_Bcast(flag, 1, MPI_LOGICAL, root, MPI_COMM_WORLD, ierr)
    do i = 1, particles
      if (any(cloud(i)%position /= [i * 1d0, i * 2d0, round * 1d0])) wrong = wrong + 1
      if (cloud(i)%id /= i + round .or. cloud(i)%private_number /= rank) wrong = wrong + 1
    end do
    do i = 1, n
      if (waves(i) /= cmplx(i, round, kind(1d0))) wrong = wrong + 1
    end do
    if (.not. flag) wrong = wrong + 1
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end do
  call MPI_Type_free(particle_type, ierr)
  call MPI_Type_free(raw_type, ierr)
  call MPI_Allreduce(wrong, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0) write (*, '(a,i0)') 'f90: wrong=', total
  call MPI_Finalize(ierr)
end program

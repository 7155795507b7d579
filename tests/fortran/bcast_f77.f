C     FORTRAN 77 with mpif.h: arrays of three types and a row of a matrix,
C     which has gaps in memory. Prints "f77: wrong=0".
      PROGRAM BCAST
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER N, ROWS
      PARAMETER (N = 40000, ROWS = 50)
      INTEGER IERR, RANK, RANKS, ROOT, WRONG, TOTAL, I, J
C     STRIPE: every ROWS-th element, which is a row of the matrix.
      INTEGER STRIPE, NUMBERS(N)
      DOUBLE PRECISION REALS(N), MATRIX(ROWS, ROWS)
      CHARACTER*12 TEXT
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, RANKS, IERR)
      CALL MPI_TYPE_VECTOR(ROWS, 1, ROWS, MPI_DOUBLE_PRECISION,
     &                     STRIPE, IERR)
      CALL MPI_TYPE_COMMIT(STRIPE, IERR)
      WRONG = 0
      DO 60 J = 1, 12
        ROOT = MOD(J, RANKS)
        DO 10 I = 1, N
          NUMBERS(I) = -1
          REALS(I) = -1.0D0
          IF (RANK .EQ. ROOT) NUMBERS(I) = I * J
          IF (RANK .EQ. ROOT) REALS(I) = I + J / 16.0D0
   10   CONTINUE
        TEXT = 'untouched'
        IF (RANK .EQ. ROOT) TEXT = 'from a root'
        DO 20 I = 1, ROWS
          MATRIX(3, I) = -1.0D0
          MATRIX(4, I) = -2.0D0
          IF (RANK .EQ. ROOT) MATRIX(3, I) = I * J
   20   CONTINUE
        CALL MPI_BCAST(NUMBERS, N, MPI_INTEGER, ROOT,
     &                 MPI_COMM_WORLD, IERR)
        IF (IERR .NE. MPI_SUCCESS) WRONG = WRONG + 1
        CALL MPI_BCAST(REALS, N, MPI_DOUBLE_PRECISION, ROOT,
     &                 MPI_COMM_WORLD, IERR)
        CALL MPI_BCAST(TEXT, 12, MPI_CHARACTER, ROOT,
     &                 MPI_COMM_WORLD, IERR)
        CALL MPI_BCAST(MATRIX(3, 1), 1, STRIPE, ROOT,
     &                 MPI_COMM_WORLD, IERR)
        DO 40 I = 1, N
          IF (NUMBERS(I) .NE. I * J) WRONG = WRONG + 1
          IF (REALS(I) .NE. I + J / 16.0D0) WRONG = WRONG + 1
   40   CONTINUE
        IF (TEXT .NE. 'from a root') WRONG = WRONG + 1
        DO 50 I = 1, ROWS
          IF (MATRIX(3, I) .NE. I * J) WRONG = WRONG + 1
          IF (MATRIX(4, I) .NE. -2.0D0) WRONG = WRONG + 1
   50   CONTINUE
   60 CONTINUE
      CALL MPI_TYPE_FREE(STRIPE, IERR)
      CALL MPI_ALLREDUCE(WRONG, TOTAL, 1, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, IERR)
      IF (RANK .EQ. 0) WRITE (*, '(A,I0)') 'f77: wrong=', TOTAL
      CALL MPI_FINALIZE(IERR)
      END

// actor/shm/wait.{h,cc}: sleeping on a word and waking who sleeps. Here stores wait in a buffer of
// the waker's processor, as they do on x86 and ARM, until the fence or as the memory likes; and
// sleeps have no time limit.
//
// Proved: nobody sleeps for ever on a value that has been published, in any order of steps, also
// where the waker leaves out some wake-ups (publish() with wake = false) but the last.

#define WAITERS 2
#define PUBLICATIONS 5

byte value = 0;
byte sleepers = 0;
bit asleep[WAITERS];  // in the kernel

// The waker's store that is not in memory yet.
byte buffered = 0;

active proctype StoreBuffer() {
end:
  do
  :: atomic { buffered > 0 -> value = buffered; buffered = 0 }
  od
}

inline wake() {
#ifndef MUTATE_NO_FENCE
  buffered == 0;
#endif
  if
  :: sleepers != 0 ->
     // FUTEX_WAKE; a system call leaves no store behind.
     atomic {
       buffered == 0 ->
       for (i : 0 .. WAITERS - 1) {
         asleep[i] = false
       }
     }
  :: else
  fi
}

active proctype Waker() {
  byte published = 0, i;
  do
  :: published < PUBLICATIONS ->
     // One store at a time in the buffer; the value after it comes after it.
     atomic { buffered == 0 -> published++; buffered = published }
     if
     :: wake()
     :: published < PUBLICATIONS  // wake = false
     fi
  :: else -> break
  od
}

// sleep_on(), without a time limit.
inline sleep_on() {
  sleepers++;
  if
  :: value == seen ->
#ifdef MUTATE_KERNEL_DOES_NOT_COMPARE
     asleep[me] = true;
#else
     atomic {  // FUTEX_WAIT compares and sleeps in one
       if
       :: value == seen -> asleep[me] = true
       :: else
       fi
     }
#endif
     !asleep[me]
  :: else
  fi;
  sleepers--
}

// wait_until() the last value is there.
active [WAITERS] proctype Waiter() {
  byte seen, me;
  me = _pid - 2;
  do
  :: value == PUBLICATIONS -> break
  :: atomic { value != PUBLICATIONS -> seen = value };
     sleep_on()
  od
}

// Payload in staging: Container::allocate_staging() and find_room() of
// actor/container/container.cc, held messages and rings of actor/collectives/distribution.cc. One
// node of three members that compete for every request.
//
// Proved, for every order of steps: no deadlock, though leaders wait for members and members for
// leaders; no byte of staging written while a member may still read it, and no description read
// while it changes; every member gets every entry of every message.

#define NODES 1
#define MEMBERS 3
#define RANKS MEMBERS
#ifndef REQUESTS
#define REQUESTS 4
#endif

#include "request_queue.pml"

// Staging has units; a held message takes one or two of them, a ring its window of two, of three
// entries.
#define STAGING 3
#define WINDOW 2
#define RING_ENTRIES 3
#define is_ring(sequence) ((sequence) % 3 == RING_AT)
#define units(sequence) (is_ring(sequence) -> WINDOW : 1 + (sequence) % 2)
#define entries_in(sequence) (is_ring(sequence) -> RING_ENTRIES : units(sequence))
// Which request takes a ring.
#ifndef RING_AT
#define RING_AT 0
#endif

byte staging[STAGING];  // stamp(request, entry) of what lies there
byte readers[STAGING];

// Sets `begin`. Reads the descriptions of the requests that some member has not left yet, one a
// step, as the code does; with two slots that is at most the one before.
inline find_room() {
  left_by_all();
  begin = 0;
#ifndef MUTATE_LIVE_RANGE_REUSED
  atomic {
    if
    :: s > 1 && known < s ->
       assert(!slot(node, s - 1).writing);
       if
       :: slot(node, s - 1).sequence == s - 1 && slot(node, s - 1).staging_bytes > 0 &&
          units(s) > slot(node, s - 1).staging_offset ->
          begin = slot(node, s - 1).staging_offset + slot(node, s - 1).staging_bytes
       :: else
       fi
    :: else
    fi
  }
#endif
}

inline allocate_staging() {
  find_room();
  do
  :: begin + units(s) <= STAGING -> break
  :: else -> wait_one_more_left(known); find_room()
  od
}

// The next chunk of a ring may be written when every member has consumed its last use.
inline room() {
  if
  :: is_ring(s) && entry >= WINDOW ->
#ifndef MUTATE_RING_OVERRUN
     wait_members(stamp(s, entry - WINDOW + 1))
#else
     wait_members(stamp(s, entry - WINDOW))
#endif
  :: else
  fi
}

inline write_entry() {
  atomic {
    assert(readers[begin + entry % WINDOW] == 0);
    staging[begin + entry % WINDOW] = stamp(s, entry)
  }
}

inline lead_request() {
  begin_writing(s);
  allocate_staging();
  atomic {
    slot(node, s).staging_offset = begin;
    slot(node, s).staging_bytes = units(s);
    end_writing(s)
  }
  do
  :: entry < entries_in(s) ->
     room();
     write_entry();
     atomic { publish(s, entry + 1); entry++ }
  :: else -> break
  od;
  atomic { entry = 0; begin = 0; leave(s) }
}

// A member holds description and its entry from the publication that shows it till it says that it
// is done.
inline follow() {
  atomic { wait_published(s, 0); begin_reading(s) };
  do
  :: entry < entries_in(s) ->
     if
     :: entry == published -> wait_published(s, entry)
     :: else
     fi;
     atomic {
       begin = slot(node, s).staging_offset + entry % WINDOW;
       assert(staging[begin] == stamp(s, entry));
       readers[begin]++
     }
     atomic {
       assert(staging[begin] == stamp(s, entry));
       readers[begin]--;
       begin = 0;
       entry++;
       if
       :: is_ring(s) -> progress[rank] = stamp(s, entry)  // consumed()
       :: else
       fi
     }
  :: else -> break
  od;
  atomic { entry = 0; published = 0; end_reading(s); leave(s) }
}

proctype Member(byte rank) {
  QUEUE_LOCALS, s = 1, node = 0, published, begin, entry;
  bool leads;
  do
  :: s <= REQUESTS ->
     compete(s);
     if
     :: leads -> lead_request()
     :: else -> follow()
     fi;
     atomic { leads = false; s++ }
  :: else -> break
  od
}

init {
  byte rank;
  atomic {
    members_of[0] = MEMBERS;
    for (rank : 0 .. RANKS - 1) {
      run Member(rank)
    }
  }
}

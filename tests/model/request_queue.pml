// actor/competition/request_queue.{h,cc}: slots, election, publication, release. Included by the
// models of what uses the queue. Names are those of the code.
//
// One Promela step is at most one access to a word that others write; waits are guards that block,
// so what would spin for ever is an invalid end state. The model is sequentially consistent: that
// acquire and release are enough is the sanitizers' affair.
//
// MUTATE_... breaks one rule each; the test shows that every one of them is found.

#define SLOTS 2

// Entries, phases and arrivals of a request: below 32. So there are up to 6 requests.
#define stamp(sequence, entries) ((sequence) * 32 + (entries))
#define sequence_of(word) ((word) / 32)
#define entries_of(word) ((word) % 32)

// The leader word: sequence + 1 (0: never used) and member.
#define leader_word(sequence, member) (((sequence) + 1) * 4 + (member))
#define member_in(word) ((word) % 4)
#define is_of(word, sequence) ((word) / 4 == (sequence) + 1)

// Members of a node: ranks first_of[node] .. first_of[node] + members_of[node] - 1. The including
// file defines NODES and RANKS, and its init sets these.
hidden byte first_of[NODES];
hidden byte members_of[NODES];
#define member_of(node, rank) ((rank) - first_of[node])
#define slot(node, sequence) slots[(node) * SLOTS + (sequence) % SLOTS]

typedef Slot {
  byte leader;
  byte published;        // stamp
  short arrivals;        // request and what members have said
  byte sequence;         // Description
  byte staging_offset;   // Description
  byte staging_bytes;    // Description
  bit copied_receives;   // Description
  bit claims;            // of the one node below
  byte inline_bytes;     // the request whose bytes lie there
  // What no code has: for the assertions.
  byte led;       // last request that somebody took the leadership of
  bit writing;    // its leader is changing description or bytes
  byte readers;   // members that are reading them
}
Slot slots[NODES * SLOTS];

// MemberLine.
byte progress[RANKS];   // stamp(requests left, entries consumed of the current one)
// SignedPart, of every member and slot: stamp(request, phases of it that this member has ended).
byte signatures[RANKS * SLOTS];
#define signature_of(member, sequence) signatures[(member) * SLOTS + (sequence) % SLOTS]

// Of every member, in its process: known_left_by_all_, and scratch.
#define QUEUE_LOCALS byte known = 0, least = 0, word = 0, at = 0

// In one step, though the code reads the lines one by one: they only grow, so it gets no more than
// it would by reading all of them when it reads the last one.
inline left_by_all() {
  atomic {
    least = 255;
    for (at : first_of[node] .. first_of[node] + members_of[node] - 1) {
      if
      :: sequence_of(progress[at]) < least -> least = sequence_of(progress[at])
      :: else
      fi
    }
    known = least;
    least = 0;
    at = 0
  }
}

// All lines but the member's own. Also in one step, for the same reason.
#define line_reached(rank_of_line, me, reached) \
  ((rank_of_line) == (me) || progress[rank_of_line] >= (reached))
#define members_reached(reached)                                                     \
  (line_reached(first_of[node], rank, reached) &&                                    \
   (members_of[node] < 2 || line_reached(first_of[node] + 1, rank, reached)) &&      \
   (members_of[node] < 3 || line_reached(first_of[node] + 2, rank, reached)))

inline wait_members(reached) {
  members_reached(reached)
}

inline wait_left_by_all(requests) {
  if
  :: known >= requests
  :: else -> wait_members(stamp(requests, 0)); left_by_all()
  fi
}

// `seen`: what left_by_all() has given. A fresh look may find that all have left every request before
// the caller's own, and would wait for that one.
inline wait_one_more_left(seen) {
#ifdef MUTATE_LOOK_AGAIN
  left_by_all();
  wait_left_by_all(known + 1)
#else
  wait_left_by_all(seen + 1)
#endif
}

// wait_free(): requests that all must have left before `sequence` may have its slot.
#ifdef MUTATE_FREED_EARLY
#define must_be_left(sequence) ((sequence) - SLOTS)
#else
#define must_be_left(sequence) ((sequence) - SLOTS + 1)
#endif

inline wait_free(sequence) {
#ifdef MUTATE_NO_WAIT_FREE
  true
#else
  if
  :: sequence <= SLOTS
  :: else ->
     if
     :: known >= must_be_left(sequence)
     :: else -> left_by_all(); wait_left_by_all(must_be_left(sequence))
     fi
  fi
#endif
}

// Every way to leadership ends here.
inline now_leads(sequence) {
  assert(slot(node, sequence).led < sequence);  // one leader a request
  slot(node, sequence).led = sequence
}

inline lead(sequence) {
  wait_free(sequence);
  atomic {
    slot(node, sequence).leader = leader_word(sequence, member_of(node, rank));
    now_leads(sequence)
  }
}

// Members are alike where none of them is root: whoever wins first may be called the first one.
#ifdef ALIKE
#define may_be_first(sequence) ((sequence) > 1 || rank == first_of[node])
#else
#define may_be_first(sequence) true
#endif

// Sets `leads`.
inline compete(sequence) {
  leads = false;
  if
  :: atomic { is_of(slot(node, sequence).leader, sequence) -> leads = false }
  :: atomic {
       !is_of(slot(node, sequence).leader, sequence) ->
       assert(slot(node, sequence).leader / 4 <= sequence)
     };
     wait_free(sequence);
#ifdef MUTATE_STORE_FOR_SWAP
     word = slot(node, sequence).leader;
     if
     :: is_of(word, sequence)
     :: else ->
        atomic {
          slot(node, sequence).leader = leader_word(sequence, member_of(node, rank));
          leads = true;
          now_leads(sequence)
        }
     fi;
     word = 0
#else
     atomic {  // the swap; one that fails sees the word of this sequence, or tries again
       if
       :: !is_of(slot(node, sequence).leader, sequence) && may_be_first(sequence) ->
          slot(node, sequence).leader = leader_word(sequence, member_of(node, rank));
          leads = true;
          now_leads(sequence)
       :: is_of(slot(node, sequence).leader, sequence)
       fi
     }
#endif
  fi
}

// A leader is about to change description or bytes, and has done so.
inline begin_writing(request) {
  atomic {
    assert(slot(node, request).readers == 0);  // no slot reused while read
    assert(!slot(node, request).writing);
    slot(node, request).writing = true;
    slot(node, request).sequence = 0;
    slot(node, request).staging_bytes = 0;
    slot(node, request).copied_receives = 0;
    slot(node, request).claims = 0
  }
}
inline end_writing(request) {
  atomic { slot(node, request).sequence = request; slot(node, request).writing = false }
}

// A member reads description and bytes: both must be this request's till it has left.
inline begin_reading(request) {
  atomic {
    assert(!slot(node, request).writing && slot(node, request).sequence == request);
    slot(node, request).readers++
  }
}
inline end_reading(request) {
  atomic {
    assert(!slot(node, request).writing && slot(node, request).sequence == request);
    slot(node, request).readers--
  }
}

inline publish(sequence, entries) {
  slot(node, sequence).published = stamp(sequence, entries)
}

inline wait_published(request, seen) {
  atomic {
#ifdef MUTATE_ANY_PUBLICATION
    (entries_of(slot(node, request).published) > seen) ->
#else
    (sequence_of(slot(node, request).published) == request &&
     entries_of(slot(node, request).published) > seen) ->
#endif
    published = entries_of(slot(node, request).published)
  }
}

inline leave(sequence) {
  progress[rank] = stamp(sequence + 1, 0)
}

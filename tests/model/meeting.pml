// Requests to which all members contribute: actor/collectives/meeting.{h,cc} with its three ways to
// meet, on one node of three members, or on two nodes of two, whose lowest members are leaders.
//
//   kind 0   the last to arrive knows it (reduce): combines; the others do not wait
//   kind 1   signatures, two phases (allreduce): each combines for all, then each takes
//   kind 2   the same by a common count (more ranks than cores); memory from the first to arrive
//   between nodes (-DNODES=2): competition/arrivals.h and between.cc. The leader that sees the
//            node's data complete in time sends them, else it leaves that to whoever completes them.
//            The nodes swap their vectors, and each combines what comes with its own, in place: who
//            sends for the leader does so from a copy before the leader takes in and combines
//   at once (-DNODES=2 -DROUNDS=1): what comes lies elsewhere, and the leader takes it in from the
//            beginning. Whoever brings the second of both vectors combines them
//   shares (-DNODES=2 -DROUNDS=2): the same with a share of the vector, which is sent on, combined;
//            what comes then takes the place of the second vector
//
// Proved, for every order of steps: no deadlock; every part that is read is this request's, also
// while a fast member is ahead; exactly one last member; every message taken once.

#ifndef NODES
#define NODES 1
#endif
#if NODES == 1
#define MEMBERS 3
#else
#define MEMBERS 2
#endif
// How many kinds there are in turns, and which one comes first.
#ifndef KINDS
#define KINDS 3
#endif
#ifndef FIRST_KIND
#define FIRST_KIND 0
#endif
#ifndef REQUESTS
#define REQUESTS 4
#endif
#define RANKS (NODES * MEMBERS)

#include "request_queue.pml"

// Arrivals: members, and what else they say.
#define COMPLETE 4
#define SENDING_LEFT 8
#define MAY_BEGIN 16
#define OTHERS_PART 32
#define SECOND_OTHERS_PART 64
#define SECOND_OWN_PART 128
#define arrival(sequence, said) ((sequence) * 256 + (said))
#define request_of(word) ((word) / 256)
#define is_in(bit, said) ((said) / (bit) % 2 == 1)
#define is_said(sequence, bit)                           \
  (request_of(slot(node, sequence).arrivals) == (sequence) && \
   is_in(bit, slot(node, sequence).arrivals % 256))

// The memory of a request: a part for every member, what a member has combined for all or, between
// nodes, every node's vector, and the result. Each holds the request that it was written for.
#define PARTS (2 * MEMBERS + 1)
#define part(sequence, index) parts[(node * SLOTS + (sequence) % SLOTS) * PARTS + index]
byte parts[NODES * SLOTS * PARTS];
#define slice(sequence, index) part(sequence, MEMBERS + index)
#define node_vector(sequence, index) part(sequence, MEMBERS + index)
#define result(sequence) part(sequence, 2 * MEMBERS)

// Messages to a node's leader, less those taken.
byte vectors[NODES * (REQUESTS + 1)];
byte finished = 0;
byte last_ones[NODES * SLOTS];  // the last request that had a last member

// Sets `count`.
inline arrive(sequence, step) {
#ifdef MUTATE_ARRIVE_BY_STORE
  seen = slot(node, sequence).arrivals;
  atomic {
#else
  atomic {  // a swap that fails tries again
    seen = slot(node, sequence).arrivals;
#endif
    if
    :: request_of(seen) == sequence -> seen = seen + step
    :: else -> seen = arrival(sequence, step)
    fi;
    slot(node, sequence).arrivals = seen;
    count = seen % 256;
    seen = 0
  }
}
inline wait_arrived(sequence, number) {
  slot(node, sequence).arrivals >= arrival(sequence, number)
}
// Leader: sets `count`.
inline leave_sending() {
#ifdef MUTATE_LEAVE_BY_LOOK
  atomic {
    count = (request_of(slot(node, s).arrivals) == s -> slot(node, s).arrivals % 256 : 0)
  };
  atomic { seen = count; arrive(s, SENDING_LEFT); count = seen; seen = 0 }
#else
  arrive(s, SENDING_LEFT)
#endif
}

inline sign(sequence, phase) { signature_of(rank, sequence) = stamp(sequence, phase) }
#define signed(index, sequence, phase) \
  (signature_of(first_of[node] + index, sequence) >= stamp(sequence, phase))
inline wait_all_signed(sequence, phase) {
#ifdef MUTATE_ONE_SIGNATURE_MISSED
  signed(0, sequence, phase) && signed(1, sequence, phase)
#else
  // One by one in the code; they only grow.
  signed(0, sequence, phase) && signed(1, sequence, phase) &&
      (MEMBERS < 3 || signed(MEMBERS - 1, sequence, phase))
#endif
}

inline end_phase(phase) {
  if
  :: kind == 1 -> sign(s, phase)
  :: else -> arrive(s, 1)
  fi;
  count = 0
}
inline wait_phase(phase) {
  if
  :: kind == 1 -> wait_all_signed(s, phase)
  :: else -> wait_arrived(s, (phase) * MEMBERS)
  fi
}

// Constructor of Meeting.
inline enter() {
  if
  :: kind != 2 -> wait_free(s)
  :: else ->
     compete(s);
     if
     :: leads ->
        begin_writing(s);
        atomic { end_writing(s); publish(s, 1) };
        leads = false
     :: else -> wait_published(s, 0); published = 0
     fi
  fi
}

inline read_parts() {
  for (part_read : 0 .. MEMBERS - 1) {
    assert(part(s, part_read) == s)
  }
  part_read = 0
}

inline read_slices() {
  for (part_read : 0 .. MEMBERS - 1) {
    assert(slice(s, part_read) == s)
  }
  part_read = 0
}

inline reduce() {
  part(s, member_of(node, rank)) = s;
  arrive(s, 1);
  if
  :: count == MEMBERS ->
     atomic {
       assert(last_ones[node * SLOTS + s % SLOTS] < s);
       last_ones[node * SLOTS + s % SLOTS] = s;
       count = 0
     }
     atomic { read_parts() };
     atomic { read_parts() }  // still there
  :: else -> count = 0
  fi
}

inline allreduce() {
  part(s, member_of(node, rank)) = s;
  end_phase(1);
  wait_phase(1);
  atomic { read_parts() };
  slice(s, member_of(node, rank)) = s;
#ifndef MUTATE_ONE_PHASE
  end_phase(2);
  wait_phase(2);
#endif
  atomic { read_slices() };
  atomic { read_slices() }  // still there
}

#if NODES == 2 && !defined(ROUNDS)
// The node's vector, then the result.
#define node_cell(sequence) node_vector(sequence, node)
#define complete_of(sequence) ((sequence) * 2)
#define result_of(sequence) ((sequence) * 2 + 1)

inline send_vector() {
  atomic {
    assert(node_cell(s) == complete_of(s));  // else what is sent is no copy of it
    vectors[(1 - node) * (REQUESTS + 1) + s]++
  }
}

inline complete() {
  atomic { read_parts(); node_cell(s) = complete_of(s) };
  arrive(s, COMPLETE);
  if
#ifdef MUTATE_COMPLETER_NEVER_SENDS
  :: true -> count = 0
#else
  :: rank != first_of[node] && is_in(SENDING_LEFT, count) ->
     count = 0;
     send_vector();  // the copy that it is sent from
     arrive(s, MAY_BEGIN);
     count = 0
  :: !(rank != first_of[node] && is_in(SENDING_LEFT, count)) -> count = 0
#endif
  fi
}

// The leader, when it has laid down its own.
inline decide() {
  if
  :: is_said(s, COMPLETE); send_vector()
  :: true ->
     leave_sending();
     if
     :: is_in(COMPLETE, count) -> count = 0; send_vector()
     :: else ->
        count = 0;
#ifdef MUTATE_HOME_BEGINS_EARLY
        is_said(s, COMPLETE)
#else
        is_said(s, MAY_BEGIN)
#endif
     fi
  fi
}

inline between() {
  // Nobody looks at the part before the arrival is counted.
  atomic { part(s, member_of(node, rank)) = s; arrive(s, 1) };
  if
  :: count % COMPLETE == MEMBERS -> count = 0; complete()
  :: else -> count = 0
  fi;
  if
  :: rank == first_of[node] ->
     decide();
     atomic {
       vectors[node * (REQUESTS + 1) + s] > 0 ->
       vectors[node * (REQUESTS + 1) + s]--;
       assert(node_cell(s) == complete_of(s));
       node_cell(s) = result_of(s)
     }
     publish(s, 2)
  :: else
  fi;
  atomic { wait_published(s, 1); published = 0; assert(node_cell(s) == result_of(s)) };
  assert(node_cell(s) == result_of(s))  // still there
}
#endif

#ifdef ROUNDS
// What the memory holds: the first member's vector, then the node's; the second one's, in two
// shares, then the result; the other node's contribution.
#define vector_of(sequence) ((sequence) * 4)
#define complete_of(sequence) ((sequence) * 4 + 1)
#define contribution_of(sequence) ((sequence) * 4 + 2)
#define result_of(sequence) ((sequence) * 4 + 3)
#define node_cell(sequence) part(sequence, 0)
#define share_cell(sequence, of) part(sequence, 1 + (of))
#define contributed_cell(sequence) part(sequence, 3)
byte shares[NODES * (REQUESTS + 1)];

// Both parts of the first round are there.
inline end_round() {
  atomic {
    assert(last_ones[node * SLOTS + s % SLOTS] < s);
    last_ones[node * SLOTS + s % SLOTS] = s;
    assert(node_cell(s) == complete_of(s) && contributed_cell(s) == contribution_of(s));
    share_cell(s, node) = result_of(s);
#if ROUNDS == 1
    share_cell(s, 1 - node) = result_of(s)
#endif
  };
#if ROUNDS == 1
  publish(s, 2)
#else
  shares[(1 - node) * (REQUESTS + 1) + s]++;
  arrive(s, SECOND_OWN_PART);
  if
  :: is_in(SECOND_OTHERS_PART, count) -> count = 0; publish(s, 2)
  :: else -> count = 0
  fi
#endif
}

inline send_contribution() {
  atomic {
    assert(node_cell(s) == complete_of(s));
    vectors[(1 - node) * (REQUESTS + 1) + s]++;
    sends = true
  }
}

inline complete() {
  atomic {
    assert(node_cell(s) == vector_of(s) && share_cell(s, 0) == vector_of(s) &&
           share_cell(s, 1) == vector_of(s));
    node_cell(s) = complete_of(s)
  };
  arrive(s, COMPLETE);
  if
#ifdef MUTATE_COMPLETER_ALWAYS_SENDS
  :: true ->
#else
  :: rank == first_of[node] || is_in(SENDING_LEFT, count) ->
#endif
     atomic { others_are_there = is_in(OTHERS_PART, count); count = 0 };
     send_contribution();
     if
     :: others_are_there -> others_are_there = false; end_round()
     :: else
     fi
#ifndef MUTATE_COMPLETER_ALWAYS_SENDS
  :: !(rank == first_of[node] || is_in(SENDING_LEFT, count)) -> count = 0
#endif
  fi
}

// The leader, unless it has completed the node's vector itself.
inline decide() {
  if
  :: !has_left && is_said(s, COMPLETE) -> send_contribution()
  :: !has_left ->
     leave_sending();
     if
     :: is_in(COMPLETE, count) -> count = 0; send_contribution()
     :: else -> count = 0
     fi
  :: has_left
  fi
}

inline at_once() {
  if
  :: rank == first_of[node] -> leave_sending(); atomic { has_left = true; count = 0 }
  :: true
  fi;
  atomic {
    if
    :: rank == first_of[node] -> node_cell(s) = vector_of(s)
    :: else -> share_cell(s, 0) = vector_of(s); share_cell(s, 1) = vector_of(s)
    fi;
    arrive(s, 1)
  };
  if
  :: count % COMPLETE == MEMBERS -> count = 0; complete()
  :: else -> count = 0
  fi;
  if
  :: rank == first_of[node] ->
     if
     :: !sends -> decide()
     :: else
     fi;
     // In any order: they may come from two processes.
     do
     :: atomic {
          vectors[node * (REQUESTS + 1) + s] > 0 ->
          vectors[node * (REQUESTS + 1) + s]--;
          contributed_cell(s) = contribution_of(s)
        }
        arrive(s, OTHERS_PART);
        if
#ifdef MUTATE_OWN_PART_NOT_AWAITED
        :: true -> count = 0; end_round()
#else
        :: is_in(COMPLETE, count) -> count = 0; end_round()
        :: else -> count = 0
#endif
        fi;
        taken++
#if ROUNDS == 2
     :: atomic {
          shares[node * (REQUESTS + 1) + s] > 0 ->
          shares[node * (REQUESTS + 1) + s]--;
#ifdef MUTATE_SHARE_OVER_VECTOR
          node_cell(s) = result_of(s);
#endif
          share_cell(s, 1 - node) = result_of(s)
        }
        arrive(s, SECOND_OTHERS_PART);
        if
        :: is_in(SECOND_OWN_PART, count) -> count = 0; publish(s, 2)
        :: else -> count = 0
        fi;
        taken++
#endif
     :: taken == ROUNDS -> taken = 0; break
     od
  :: else
  fi;
  atomic { sends = false; has_left = false };
  atomic { wait_published(s, 1); published = 0 };
  atomic { assert(share_cell(s, 0) == result_of(s) && share_cell(s, 1) == result_of(s)) };
  atomic { assert(share_cell(s, 0) == result_of(s) && share_cell(s, 1) == result_of(s)) }  // still
}
#endif

proctype Member(byte rank) {
  QUEUE_LOCALS, s = 1, node, published, kind, count, part_read;
  short seen;
#ifdef ROUNDS
  byte taken;
  bool sends, has_left, others_are_there;
#endif
  bool leads;
  node = rank / MEMBERS;
  do
  :: s <= REQUESTS ->
     kind = (s + FIRST_KIND) % KINDS * (2 - NODES);
     enter();
     if
#ifdef ROUNDS
     :: NODES == 2 -> at_once()
#elif NODES == 2
     :: NODES == 2 -> between()
#endif
     :: NODES == 1 && kind == 0 -> reduce()
     :: NODES == 1 && kind != 0 -> allreduce()
     fi;
     leave(s);
     atomic { kind = 0; s++ }
  :: else -> break
  od;
  atomic {
    finished++;
    if
    :: finished == RANKS ->
       // Each request had its last member, and nothing is left on the network.
       for (s : 0 .. NODES * (REQUESTS + 1) - 1) {
         assert(vectors[s] == 0);
#ifdef ROUNDS
         assert(shares[s] == 0)
#endif
       }
    :: else
    fi
  }
}

init {
  byte rank, node;
  atomic {
    for (node : 0 .. NODES - 1) {
      first_of[node] = node * MEMBERS;
      members_of[node] = MEMBERS
    }
    for (rank : 0 .. RANKS - 1) {
      run Member(rank)
    }
  }
}

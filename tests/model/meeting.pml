// Requests to which all members contribute: actor/collectives/meeting.{h,cc} with its three ways to
// meet, on one node of three members, or on two nodes of two, whose lowest members are homes.
//
//   kind 0   the last to arrive knows it (reduce): combines; the others do not wait
//   kind 1   signatures, two phases (allreduce): each combines for all, then each takes
//   kind 2   the same by a common count (more ranks than cores); memory from the first to arrive
//   planned (-DNODES=2): planned_exchange.cc, for a plan in which the nodes swap their vectors and
//            each combines what comes with its own. The home that sees its members complete in time
//            runs the plan; else it says that it sleeps, and whoever completes sends from a copy
//            before the home takes in and combines
//   last sends (-DNODES=2 -DLAST_SENDS): last_sends.cc and one_round.cc. Homes receive; the home that
//            has seen all members arrive before it begins to receive sends, too, else the last member
//            does; whoever brings the last vector, of members and nodes, publishes the result
//   shares (-DNODES=2 -DSHARES): node_shares.cc on few nodes, which do not swap. Whoever completes
//            the node's vector sends each home its share, whoever brings the last contribution
//            sends the combined one to all; what comes takes the place of the second vector
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

// kNodeStep: arrivals count members, and nodes in steps of this.
#define NODE_STEP 4
#define everything (MEMBERS + NODES * NODE_STEP)
// kHomeReceives: beside both.
#define HOME_RECEIVES 16

// The memory of a request: a part for every member, what a member has combined for all or, between
// nodes, every node's vector, and the result. Each holds the request that it was written for.
#define PARTS (2 * MEMBERS + 1)
#define part(sequence, index) parts[(node * SLOTS + (sequence) % SLOTS) * PARTS + index]
byte parts[NODES * SLOTS * PARTS];
#define slice(sequence, index) part(sequence, MEMBERS + index)
#define node_vector(sequence, index) part(sequence, MEMBERS + index)
#define result(sequence) part(sequence, 2 * MEMBERS)

// Messages to a node's home, less those taken.
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
    :: sequence_of(seen) == sequence -> seen = seen + step
    :: else -> seen = stamp(sequence, step)
    fi;
    slot(node, sequence).arrivals = seen;
    count = entries_of(seen);
    seen = 0
  }
}
inline wait_arrived(sequence, number) {
  slot(node, sequence).arrivals >= stamp(sequence, number)
}

inline sign(sequence, phase) { signature[rank] = stamp(sequence, phase) }
#define signed(index, sequence, phase) (signature[first_of[node] + index] >= stamp(sequence, phase))
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

inline count_node() {
  arrive(s, NODE_STEP);
  if
  :: count % HOME_RECEIVES == everything ->
     atomic {
       assert(last_ones[node * SLOTS + s % SLOTS] < s);
       last_ones[node * SLOTS + s % SLOTS] = s;
       count = 0;
       for (part_read : 0 .. NODES - 1) {
         assert(node_vector(s, part_read) == s)
       }
       part_read = 0;
       result(s) = s
     }
     publish(s, 2)
  :: else -> count = 0
  fi
}

// The node's members have all laid down theirs.
inline send_parts() {
  atomic { read_parts(); node_vector(s, node) = s };
  vectors[(1 - node) * (REQUESTS + 1) + s]++;
  count_node()
}

inline last_sends() {
  // Nobody looks at the part before the arrival is counted.
  atomic { part(s, member_of(node, rank)) = s; arrive(s, 1) };
  if
  :: rank == first_of[node] && count == MEMBERS -> count = 0; send_parts()
  :: rank == first_of[node] && count != MEMBERS ->
     count = 0;
     if  // come_in_time(): within its patience, or not
     :: wait_arrived(s, MEMBERS); send_parts()
     :: true ->
#ifdef MUTATE_MARK_BY_LOOK
        atomic { count = entries_of(slot(node, s).arrivals) };
        atomic { slot(node, s).arrivals = slot(node, s).arrivals + HOME_RECEIVES };
#else
        arrive(s, HOME_RECEIVES);
#endif
        if
        :: count % HOME_RECEIVES == MEMBERS -> count = 0; send_parts()
        :: else -> count = 0
        fi
     fi
#ifdef MUTATE_LAST_SENDS_ALWAYS
  :: rank != first_of[node] && count % NODE_STEP == MEMBERS -> count = 0; send_parts()
  :: rank != first_of[node] && count % NODE_STEP != MEMBERS -> count = 0
#else
  :: rank != first_of[node] && count % NODE_STEP == MEMBERS && count >= HOME_RECEIVES ->
     count = 0;
     send_parts()
  :: rank != first_of[node] && !(count % NODE_STEP == MEMBERS && count >= HOME_RECEIVES) -> count = 0
#endif
  fi;
  if
  :: rank == first_of[node] ->
     atomic {
       vectors[node * (REQUESTS + 1) + s] > 0 ->
       vectors[node * (REQUESTS + 1) + s]--;
       node_vector(s, 1 - node) = s
     }
     count_node()
  :: else
  fi;
  atomic { wait_published(s, 1); published = 0; assert(result(s) == s) };
  assert(result(s) == s)  // still there
}

#ifdef SHARES
// Counted beside members, up to two of each.
#define CONTRIBUTION 3
#define SHARE 9
#define contributions_in(arrivals) ((arrivals) / CONTRIBUTION % 3)
#ifdef MUTATE_ONE_CONTRIBUTION
#define AWAITED_CONTRIBUTIONS 1
#else
#define AWAITED_CONTRIBUTIONS NODES
#endif
// What the memory holds: the first member's vector, then the node's; the second one's, in two
// shares, then the result; the other node's contribution.
#define vector_of(sequence) ((sequence) * 4)
#define complete_of(sequence) ((sequence) * 4 + 1)
#define contribution_of(sequence) ((sequence) * 4 + 2)
#define result_of(sequence) ((sequence) * 4 + 3)
#define node_cell(sequence) part(sequence, 0)
#define share_cell(sequence, of) part(sequence, 1 + (of))
#define contributed_cell(sequence) part(sequence, 3)
byte contributions[NODES * (REQUESTS + 1)];
byte shares[NODES * (REQUESTS + 1)];

inline count_share() {
  arrive(s, SHARE);
  if
  :: count / SHARE == NODES -> count = 0; publish(s, 2)
  :: else -> count = 0
  fi
}

// And give_share().
inline count_contribution() {
  arrive(s, CONTRIBUTION);
  if
  :: contributions_in(count) == AWAITED_CONTRIBUTIONS ->
     atomic {
       count = 0;
       assert(node_cell(s) == complete_of(s) && contributed_cell(s) == contribution_of(s));
       share_cell(s, node) = result_of(s)
     };
     shares[(1 - node) * (REQUESTS + 1) + s]++;
     count_share()
  :: else -> count = 0
  fi
}

inline by_shares() {
  atomic {
    if
    :: rank == first_of[node] -> node_cell(s) = vector_of(s)
    :: else -> share_cell(s, 0) = vector_of(s); share_cell(s, 1) = vector_of(s)
    fi;
    arrive(s, 1)
  };
  if
  :: count % CONTRIBUTION == MEMBERS ->
     atomic {
       count = 0;
       assert(node_cell(s) == vector_of(s) && share_cell(s, 0) == vector_of(s) &&
              share_cell(s, 1) == vector_of(s));
       node_cell(s) = complete_of(s)
     };
     atomic { assert(node_cell(s) == complete_of(s)); contributions[(1 - node) * (REQUESTS + 1) + s]++ };
     count_contribution()
  :: else -> count = 0
  fi;
  if
  :: rank == first_of[node] ->
     // In any order: they may come from two processes.
     do
     :: atomic {
          contributions[node * (REQUESTS + 1) + s] > 0 ->
          contributions[node * (REQUESTS + 1) + s]--;
          contributed_cell(s) = contribution_of(s)
        }
        count_contribution();
        taken++
     :: atomic {
          shares[node * (REQUESTS + 1) + s] > 0 ->
          shares[node * (REQUESTS + 1) + s]--;
#ifdef MUTATE_SHARE_OVER_VECTOR
          node_cell(s) = result_of(s);
#endif
          share_cell(s, 1 - node) = result_of(s)
        }
        count_share();
        taken++
     :: taken == 2 -> taken = 0; break
     od
  :: else
  fi;
  atomic { wait_published(s, 1); published = 0 };
  atomic { assert(share_cell(s, 0) == result_of(s) && share_cell(s, 1) == result_of(s)) };
  atomic { assert(share_cell(s, 0) == result_of(s) && share_cell(s, 1) == result_of(s)) }  // still
}
#endif

#if NODES == 2 && !defined(LAST_SENDS) && !defined(SHARES)
// Counted beside members.
#define COMPLETE 4
#define TALKER_SLEEPS 8
#define TALKER_MAY_BEGIN 16
#define is_in(bit, arrivals) ((arrivals) / (bit) % 2 == 1)
#ifdef MUTATE_TALKER_BEGINS_EARLY
#define MAY_BEGIN (MEMBERS + COMPLETE + TALKER_SLEEPS)
#else
#define MAY_BEGIN (MEMBERS + COMPLETE + TALKER_SLEEPS + TALKER_MAY_BEGIN)
#endif
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
  :: rank != first_of[node] && is_in(TALKER_SLEEPS, count) ->
     count = 0;
     send_vector();  // the copy that it is sent from
     arrive(s, TALKER_MAY_BEGIN);
     count = 0
  :: !(rank != first_of[node] && is_in(TALKER_SLEEPS, count)) -> count = 0
#endif
  fi
}

// The home, when it has laid down its own.
inline decide() {
  if
  :: wait_arrived(s, MEMBERS + COMPLETE); send_vector()
  :: true ->
#ifdef MUTATE_SLEEP_BY_LOOK
     atomic { count = entries_of(slot(node, s).arrivals) };
     atomic { slot(node, s).arrivals = slot(node, s).arrivals + TALKER_SLEEPS };
#else
     arrive(s, TALKER_SLEEPS);
#endif
     if
     :: is_in(COMPLETE, count) -> count = 0; send_vector()
     :: else -> count = 0; wait_arrived(s, MAY_BEGIN)
     fi
  fi
}

inline planned() {
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

proctype Member(byte rank) {
  QUEUE_LOCALS, s = 1, node, published, kind, count, seen, part_read;
#ifdef SHARES
  byte taken;
#endif
  bool leads;
  node = rank / MEMBERS;
  do
  :: s <= REQUESTS ->
     kind = (s + FIRST_KIND) % KINDS * (2 - NODES);
     enter();
     if
#if defined(LAST_SENDS)
     :: NODES == 2 -> last_sends()
#elif defined(SHARES)
     :: NODES == 2 -> by_shares()
#elif NODES == 2
     :: NODES == 2 -> planned()
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
         assert(vectors[s] == 0)
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

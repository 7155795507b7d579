// Broadcasts on a chain of nodes: actor/collectives/bcast.cc, inter/engine.cc,
// inter/introductions.cc, inter/pushed.cc and inter/drop_list.cc over the queue. Node 1 has three
// members that compete; node 0, and with -DNODES=3 node 2, have one. Requests are announced or
// pushed.
//
//   -DROOTS_IN_TURNS  the root is in turns a rank of node 0 and one of node 1, where the first
//                     member to come sends for it
//   -DROOT_OF_MANY    it is a rank of node 1; else rank 0
//   -DMEDIUM          all messages are announced; members share the sending
//   -DSTREAM          pushed messages may go to the first member of a node alone
//   -DFROM_ROOT       with -DNODES=3: the root may push to both other nodes itself
//
// Proved, for every order of steps: every request ends (no deadlock); one leader a request, and one
// member that sends; no slot written while read, and what is read belongs to the request; every
// announcement and every copy is taken or dropped exactly once; how far a sender can run ahead.

#ifndef NODES
#define NODES 2
#endif
#ifndef REQUESTS
#define REQUESTS 4
#endif
// Every so many requests a short message is announced: is_announced_anyway(), 64 in the code.
#ifndef ANNOUNCED_EVERY
#define ANNOUNCED_EVERY 2
#endif
#define MIDDLE 3
#define RANKS (NODES + MIDDLE - 1)

#include "request_queue.pml"

#define at_request(index, sequence) [(index) * (REQUESTS + 1) + (sequence)]

// What is known before: who is root, and the plan, a chain that begins at the root's node.
hidden byte root[REQUESTS + 1];
hidden byte root_node[REQUESTS + 1];
hidden byte has_child[NODES * (REQUESTS + 1)];
#ifdef FROM_ROOT
bool from_root[REQUESTS + 1];  // Push::kFromRoot
#endif
#define parent_of(node) (((node) + NODES - 1) % NODES)
#define child_of(node) (((node) + 1) % NODES)
// RequestLeaders::of_node(): ranks first_leader .. first_leader + leaders - 1.
hidden byte first_leader[NODES * (REQUESTS + 1)];
hidden byte leaders[NODES * (REQUESTS + 1)];
#define is_alone(node, sequence) (leaders at_request(node, sequence) == 1)
#define may_lead(node, sequence, rank)              \
  ((rank) >= first_leader at_request(node, sequence) && \
   (rank) < first_leader at_request(node, sequence) + leaders at_request(node, sequence))

#define is_announced_anyway(sequence) ((sequence) % ANNOUNCED_EVERY == 0)
#ifdef MEDIUM
#define is_pushed(sequence) false
#else
#define is_pushed(sequence) (!is_announced_anyway(sequence))
#endif

// Broadcast::share_sending(): announced messages, of nodes with several leaders.
#define share_sending(sequence) \
  (!is_pushed(sequence) && has_child at_request(node, sequence) && \
   leaders at_request(node, sequence) > 1)

// The network, for each rank and request: messages sent to it less messages taken by it. Receives
// that are posted before their message comes, as drops are, may make that negative for a while. A
// message's tag tells requests and kinds apart, so nobody can take another one's.
short announcements[RANKS * (REQUESTS + 1)];
short copies[RANKS * (REQUESTS + 1)];
// In the messages: Announcement::rank, PushHeader::to_all.
byte announced[NODES * (REQUESTS + 1)];
bit to_all[NODES * (REQUESTS + 1)];
// Of pushed messages: the first possible leader got the only copy, and has not passed it on.
bit to_first[NODES * (REQUESTS + 1)];

byte finished = 0;

// Introductions::announce() to every possible leader of the node above.
inline announce() {
  atomic {
    announced at_request(node, s) = rank;
    for (to : first_leader at_request(parent_of(node), s) ..
              first_leader at_request(parent_of(node), s) + leaders at_request(parent_of(node), s) - 1) {
      announcements at_request(to, s) ++
    }
    to = 0
  }
}

// A node that announces has left all requests but the last few; that bounds how far a sender can
// run ahead: 94 requests in the code; tags repeat after 2048.
#define LEAD (SLOTS + ANNOUNCED_EVERY - 2)
#define is_near(rank, sequence) \
  ((sequence) <= (progress[rank] == 0 -> 1 : sequence_of(progress[rank])) + LEAD)

inline send_to(rank_to, sequence) {
  assert(is_near(rank_to, sequence));
  copies at_request(rank_to, sequence) ++
}
inline send_to_announced() {
  atomic {
    to_all at_request(child_of(node), s) = false;
    send_to(announced at_request(child_of(node), s), s)
  }
}
inline send_to_all(below) {
  atomic {
    to_all at_request(below, s) = leaders at_request(below, s) > 1;
    for (to : first_leader at_request(below, s) ..
              first_leader at_request(below, s) + leaders at_request(below, s) - 1) {
      send_to(to, s)
    }
    to = 0
  }
}
// Push::kToOne.
inline send_to_first() {
  atomic {
    to_first at_request(child_of(node), s) = true;
    send_to(first_leader at_request(child_of(node), s), s)
  }
}
inline push() {
#ifdef STREAM
  if
  :: send_to_all(child_of(node))
  :: leaders at_request(child_of(node), s) > 1 -> send_to_first()
  fi
#elif defined(FROM_ROOT)
  if
  :: send_to_all(child_of(node))
  :: node == root_node[s] ->
     from_root[s] = true;
     send_to_all(child_of(node));
     send_to_all(child_of(child_of(node)))
  fi
#else
  send_to_all(child_of(node))
#endif
}
inline hear() {
  atomic { announcements at_request(rank, s) > 0 -> announcements at_request(rank, s) --; awaited-- }
}


// Broadcast::take_turn(), and its engine: till the node below is served, here or by another member, or
// one that came later waits for it.
#ifdef MUTATE_LAST_IS_RELIEVED
#define is_relieved (entries_of(slot(node, s).arrivals) > 1)
#else
#define is_relieved (entries_of(slot(node, s).arrivals) > turn)
#endif
inline serve_till_relieved() {
  atomic {
    awaited = 1;
    slot(node, s).arrivals =
        (sequence_of(slot(node, s).arrivals) == s -> slot(node, s).arrivals + 1 : stamp(s, 1));
    turn = entries_of(slot(node, s).arrivals)
  };
  if
  :: atomic {
       hear();
       if
#ifdef MUTATE_CLAIMS_IGNORED
       :: true -> send_to_announced()
#else
       :: !slot(node, s).claims -> slot(node, s).claims = 1; send_to_announced()
       :: else
#endif
       fi
     }
  :: slot(node, s).claims
  :: is_relieved
  fi;
  turn = 0
}

// What the engine sends, and Engine::leave(). Of a member that sends for the root's node, or leads
// another one.
inline serve_child() {
  awaited = 0;
  if
  :: !has_child at_request(node, s)
  :: has_child at_request(node, s) && !is_pushed(s) && !share_sending(s) ->
     awaited = 1;
     hear();
     send_to_announced()
  :: share_sending(s) -> serve_till_relieved()
#if defined(FROM_ROOT) && !defined(MUTATE_PASSED_ON_ANYWAY)
  :: has_child at_request(node, s) && is_pushed(s) && node != root_node[s] && from_root[s]
#define is_passed_on (node == root_node[s] || !from_root[s])
#else
#define is_passed_on true
#endif
  :: has_child at_request(node, s) && is_pushed(s) && is_passed_on -> push()
  fi;
  // Introductions::close(): what has come till the receive is cancelled counts as heard.
  atomic {
    if
    :: awaited > 0 && announcements at_request(rank, s) > 0 -> hear()
    :: true
    fi;
#ifndef MUTATE_UNHEARD_FORGOTTEN
    announcements at_request(rank, s) = announcements at_request(rank, s) - awaited;
#endif
    awaited = 0;
    if
    :: rank != root[s] && node == root_node[s] -> end_reading(s)
    :: else
    fi;
    leave(s)
  }
}

// Broadcast::give(): the root.
inline give() {
  wait_free(s);
  begin_writing(s);
  atomic {
    slot(node, s).inline_bytes = s;
#ifdef MUTATE_ROOT_ALWAYS_LEAVES
    leads = false;
#endif
    end_writing(s)
  };
  if
  :: members_of[node] > 1 -> publish(s, 1)
  :: else
  fi;
  if
  :: leads -> serve_child()
  :: else -> expect_leaders_messages(); leave(s)
  fi
}

// Another member of the root's node, which came before the root.
inline send_for_root() {
  atomic { wait_published(s, 0); begin_reading(s) };
  published = 0;
  assert(slot(node, s).inline_bytes == s);
  serve_child()
}

// Broadcast::lead() of another node than the root's. The engine receives right into the slot.
inline lead_below() {
  begin_writing(s);
  if
  :: !is_pushed(s) -> announce()
  :: else
  fi;
#ifdef MUTATE_PUBLISH_FIRST
  publish(s, 1);
#endif
  atomic {
    copies at_request(rank, s) > 0 ->
    copies at_request(rank, s) --;
    slot(node, s).inline_bytes = s;
    // Distribution::note_copies()
    slot(node, s).copied_receives = to_all at_request(node, s);
    to_all at_request(node, s) = false;
    to_first at_request(node, s) = false;
    announced at_request(node, s) = 0;
    end_writing(s)
  }
  if
  :: members_of[node] > 1 -> publish(s, 1)
  :: else
  fi;
  serve_child()
}

// expect_leaders_messages() of a follower. expect_announcements() counts the nodes that are sent to.
inline expect_leaders_messages() {
  atomic {
  if
  :: may_lead(node, s, rank) && node != root_node[s] && is_pushed(s) ->
#ifdef MUTATE_COPIES_ALWAYS_EXPECTED
     copies at_request(rank, s) --
#else
     copies at_request(rank, s) = copies at_request(rank, s) - slot(node, s).copied_receives
#endif
  :: may_lead(node, s, rank) && !is_pushed(s) ->
#ifndef MUTATE_ANNOUNCEMENTS_FORGOTTEN
     announcements at_request(rank, s) =
         announcements at_request(rank, s) - has_child at_request(node, s)
#endif
  :: else
  fi
  }
}

// Broadcast::relieve_sender(), else expect_leaders_messages(), of a member that follows.
#ifdef MEDIUM
inline relieve_or_expect() {
  if
  :: share_sending(s) && may_lead(node, s, rank) ->
     serve_till_relieved();
     // Introductions::close(): as in serve_child().
     atomic {
       if
       :: awaited > 0 && announcements at_request(rank, s) > 0 -> hear()
       :: true
       fi;
       announcements at_request(rank, s) = announcements at_request(rank, s) - awaited;
       awaited = 0
     }
  :: else -> expect_leaders_messages()
  fi
}
#else
#define relieve_or_expect() expect_leaders_messages()
#endif

// Broadcast::pass_copies_on(), till the request is published.
#define is_published (sequence_of(slot(node, s).published) == s)
inline pass_copies_on() {
#if defined(STREAM) && !defined(MUTATE_COPY_KEPT)
  if
  :: rank == first_leader at_request(node, s) && node != root_node[s] ->
     if
     :: is_published
     :: atomic {
          to_first at_request(node, s) && copies at_request(rank, s) > 0 ->
          to_first at_request(node, s) = false;
          copies at_request(rank, s) --;
          send_to(first_of[node] + member_in(slot(node, s).leader), s)
        }
     fi
  :: else
  fi
#else
  skip
#endif
}

// Few steps, and no fewer orders: what a member does alone is joined to its step before or after.
inline follow() {
  pass_copies_on();
#ifdef MUTATE_LEAVE_BEFORE_READ
  wait_published(s, 0);
  leave(s);
  begin_reading(s);
#else
  atomic { wait_published(s, 0); begin_reading(s) };
#endif
  published = 0;
  assert(slot(node, s).inline_bytes == s);
  relieve_or_expect();
  atomic {
    end_reading(s);
#ifndef MUTATE_LEAVE_BEFORE_READ
    leave(s)
#endif
  }
}

proctype Member(byte rank) {
  QUEUE_LOCALS, s = 1, node, published, awaited, to, turn;
  bool leads;
  node = (rank == 0 -> 0 : (rank <= MIDDLE -> 1 : 2));
  do
  :: s <= REQUESTS ->
     // RequestLeaders::takes_leadership()
     if
     :: !may_lead(node, s, rank) -> leads = false
     :: may_lead(node, s, rank) && is_alone(node, s) -> lead(s); leads = true
     :: may_lead(node, s, rank) && !is_alone(node, s) -> compete(s)
#ifdef STREAM
     // Container::gets_one_copy(): who is not the first may leave it to that one.
     :: may_lead(node, s, rank) && rank != first_leader at_request(node, s) && is_pushed(s) &&
            node != root_node[s] -> leads = false
#endif
     fi;
     if
     :: rank == root[s] -> give()
     :: leads && rank != root[s] && node == root_node[s] -> send_for_root()
     :: leads && node != root_node[s] -> lead_below()
     :: !leads && rank != root[s] -> follow()
     fi;
     atomic { leads = false; s++ }
  :: else -> break
  od;
  // DropList::drain(): waits for every message that is expected.
  atomic {
    for (s : 1 .. REQUESTS) {
      (announcements at_request(rank, s) >= 0 && copies at_request(rank, s) >= 0)
    }
    s = 0;
    finished++;
    if
    :: finished == RANKS ->
       // Nothing is left on the network.
       for (s : 0 .. RANKS * (REQUESTS + 1) - 1) {
         assert(announcements[s] == 0 && copies[s] == 0)
       }
    :: else
    fi
  }
}

inline know_plan() {
  first_of[1] = 1;
  members_of[0] = 1;
  members_of[1] = MIDDLE;
#if NODES == 3
  first_of[2] = MIDDLE + 1;
  members_of[2] = 1;
#endif
  for (s : 1 .. REQUESTS) {
#ifdef ROOTS_IN_TURNS
    root[s] = (s / 2) % 2;
    root_node[s] = root[s];
#endif
#ifdef ROOT_OF_MANY
    root[s] = 1;
    root_node[s] = 1;
#endif
    for (node : 0 .. NODES - 1) {
      has_child at_request(node, s) = child_of(node) != root_node[s];
      first_leader at_request(node, s) = first_of[node];
      leaders at_request(node, s) = members_of[node]
    }
  }
}

init {
  byte rank, node, s;
  atomic {
    know_plan();
    for (rank : 0 .. RANKS - 1) {
      run Member(rank)
    }
  }
}

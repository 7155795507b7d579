// Nodes that are served past a late one: inter/served_nodes.h and inter/engine_late.cc. Node 0 has
// the message and two members that share the sending; below it nodes 1, 2 and 3 are a chain, which
// come at any time. Node 1 has two members, of which the second one begins to send when the first
// one has the message.
//
// Offers are left out: who waits may ask any node above at any time.
//
// Proved, for every order of steps: every node gets the message once; nobody waits for ever.

#define NODES 4
#define bit_of(node) (1 << (node))
#define is_in(nodes, node) (((nodes) & bit_of(node)) != 0)

bit has_announced[NODES];    // to the node above
bit has_asked[NODES * NODES];
#define asked(below, above) has_asked[(below) * NODES + (above)]

// ServedNodes of each node: the word, then what its entries say so far.
bit is_claimed[NODES];   // the one child
byte counted[NODES];     // nodes that are in the word's count
byte written[NODES];     // those whose entries are written

// What goes to a node with its first segment.
byte copies[NODES];
byte list[NODES];
bit has_message[NODES];
byte finished = 0;

inline serve(below) {
  atomic {
    copies[below]++;
    assert(copies[below] == 1);
#ifndef MUTATE_NO_LIST
    list[below] = known
#endif
  }
}

// ServedNodes::adopt(): nodes between `node` and `below` must not be served from here.
#ifdef MUTATE_BETWEEN_IGNORED
#define is_between(nodes, below) false
#else
#define is_between(nodes, below) (((nodes) & (bit_of(below) - 1)) != 0)
#endif
#ifdef MUTATE_CLAIM_IGNORED
#define child_has_come(node) false
#else
#define child_has_come(node) is_claimed[node]
#endif
#define may_adopt(below)                                                                \
  ((below) < NODES && asked(below, node) && !child_has_come(node) &&                    \
   counted[node] == written[node] && !is_in(counted[node], below) &&                    \
   !is_between(counted[node], below))
inline serve_adopted(below) {
  // Its own entry is there when it sends; others' may not be.
  written[node] = written[node] | bit_of(below);
  counted[node] == written[node];
  known = written[node];
  serve(below)
}

#define child (node + 1)

// A member that has the message, until the child is served by somebody.
inline send_on() {
  do
  :: is_claimed[node] || is_in(written[node], child) -> break
  :: atomic {
       has_announced[child] && !is_claimed[node] && !is_in(written[node], child) ->
       is_claimed[node] = true
     };
#ifndef MUTATE_UNWRITTEN_IGNORED
     // look_up_list()
     counted[node] == written[node];
#endif
     known = written[node];
     serve(child);
     break
  :: atomic { may_adopt(node + 2) -> counted[node] = counted[node] | bit_of(node + 2) };
     serve_adopted(node + 2)
  :: atomic { may_adopt(node + 3) -> counted[node] = counted[node] | bit_of(node + 3) };
     serve_adopted(node + 3)
  od
}

proctype Member(byte node) {
  byte known = 0;
  has_message[node];
  if
  :: child < NODES -> send_on()
  :: else
  fi;
  finished++
}

proctype Leader(byte node) {
  byte above = 0;
  // Late, or not.
  has_announced[node] = true;
  do
  :: copies[node] == 1 -> break
  :: above + 1 < node -> asked(node, above) = true; above++
  od;
  // take_list()
  atomic {
    counted[node] = list[node];
    written[node] = list[node];
    has_message[node] = true
  }
}

init {
  atomic {
    has_message[0] = true;
    run Member(0);
    run Member(0);
    run Leader(1);
    run Member(1);
    run Member(1);
    run Leader(2);
    run Member(2);
    run Leader(3);
    run Member(3)
  };
  finished == 6;
  byte each;
  for (each : 1 .. NODES - 1) {
    assert(copies[each] == 1)
  }
}

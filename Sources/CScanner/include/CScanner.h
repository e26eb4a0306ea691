#pragma once

#include <stddef.h>
#include <stdint.h>

// Searches bytes for many patterns at once, in one pass and without going back.
//
// An Aho-Corasick automaton finds the literals that patterns begin with; only behind one of them
// the pattern's program is followed, as a set of states (Thompson's construction). The time is at
// most proportional to the number of bytes times that of a program's steps, whatever the bytes are.

enum carrel_scan_kind {
  // Takes one byte of a set.
  CARREL_SCAN_SET,
  // Goes on at two steps.
  CARREL_SCAN_SPLIT,
  // The match begins here.
  CARREL_SCAN_BEGIN,
  // The match ends here.
  CARREL_SCAN_MATCH,
};

struct carrel_scan_step {
  uint32_t kind;
  // CARREL_SCAN_SET: the bytes. CARREL_SCAN_MATCH: those one of which must follow, or
  // carrel_scan_nothing.
  uint32_t set;
  // The next step. CARREL_SCAN_MATCH: the number of the rule.
  uint32_t next;
  // CARREL_SCAN_SPLIT: the other next step.
  uint32_t other;
};

struct carrel_scan_literal {
  // Where its bytes are in the table's texts.
  uint32_t text;
  uint32_t length;
  // Whether upper and lower case are the same.
  uint32_t folds;
  // Whether it must not follow a letter, a digit or an underscore.
  uint32_t is_bounded;
  // The step behind it.
  uint32_t step;
};

// What is searched for. Nothing of it changes.
struct carrel_scan_table {
  // The class of each byte; bytes that no literal has share one.
  const uint8_t *classes;
  uint32_t class_count;
  // The next state of the automaton by state and class; 0 is the first.
  const uint32_t *states;
  // For each state, and one more: where its literals begin in the list of hits.
  const uint32_t *hits_begin;
  // Numbers of literals.
  const uint32_t *hits;
  const struct carrel_scan_literal *literals;
  const uint8_t *texts;
  const struct carrel_scan_step *steps;
  uint32_t step_count;
  // 257 bytes each, which are 1 for the bytes in the set; the last stands for the end.
  const uint8_t *sets;
  // A match that began so many bytes ago is given up.
  size_t longest;
};

enum { carrel_scan_nothing = 0xFFFFFFFF };

struct carrel_scan_match {
  uint32_t rule;
  // Where the literal, the match and what follows it begin.
  size_t origin, begin, end;
};

struct carrel_scan_thread {
  uint32_t step;
  size_t origin, begin;
};

struct carrel_scan {
  const struct carrel_scan_table *table;
  uint32_t state;
  struct carrel_scan_thread *now, *then;
  size_t now_count, then_count;
  uint32_t *places;
  struct carrel_scan_match *matches;
  size_t match_count, match_room;
};

// Makes what a search needs; the table must stay. Returns 0, or -1 without memory.
int carrel_scan_open(struct carrel_scan *scan, const struct carrel_scan_table *table);
void carrel_scan_close(struct carrel_scan *scan);

// Forgets what was searched so far.
void carrel_scan_reset(struct carrel_scan *scan);

// Searches the bytes from one offset to another, and collects matches. `bytes` begins at the offset
// `base` of the text, and has all from the oldest undecided match, and 16 before `from` if
// there are so many. Returns 0, or -1 without memory.
int carrel_scan_feed(
  struct carrel_scan *scan, const uint8_t *bytes, size_t base, size_t from, size_t to);

// Says that the text ends at an offset.
int carrel_scan_end(struct carrel_scan *scan, size_t end);

// The offset of the oldest literal whose pattern is undecided; `position` without one.
size_t carrel_scan_oldest(const struct carrel_scan *scan, size_t position);

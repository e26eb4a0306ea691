#include "CScanner.h"

#include <stdlib.h>
#include <string.h>

int carrel_scan_open(struct carrel_scan *scan, const struct carrel_scan_table *table) {
  memset(scan, 0, sizeof *scan);
  scan->table = table;
  size_t count = table->step_count ? table->step_count : 1;
  scan->now = malloc(count * sizeof *scan->now);
  scan->then = malloc(count * sizeof *scan->then);
  scan->places = calloc(count, sizeof *scan->places);
  if (scan->now && scan->then && scan->places) return 0;
  carrel_scan_close(scan);
  return -1;
}

void carrel_scan_close(struct carrel_scan *scan) {
  free(scan->now);
  free(scan->then);
  free(scan->places);
  free(scan->matches);
  memset(scan, 0, sizeof *scan);
}

void carrel_scan_reset(struct carrel_scan *scan) {
  scan->state = 0;
  scan->now_count = 0;
  scan->match_count = 0;
}

static int add_match(
  struct carrel_scan *scan, uint32_t rule, size_t origin, size_t begin, size_t end
) {
  if (scan->match_count) {
    // One that goes on.
    struct carrel_scan_match *last = &scan->matches[scan->match_count - 1];
    if (last->rule == rule && last->origin == origin && last->begin == begin) {
      last->end = end;
      return 0;
    }
  }
  if (scan->match_count == scan->match_room) {
    size_t room = scan->match_room ? scan->match_room * 2 : 64;
    struct carrel_scan_match *matches = realloc(scan->matches, room * sizeof *matches);
    if (!matches) return -1;
    scan->matches = matches;
    scan->match_room = room;
  }
  scan->matches[scan->match_count++] =
    (struct carrel_scan_match){.rule = rule, .origin = origin, .begin = begin, .end = end};
  return 0;
}

// Adds a step and all that are reached from it without a byte; the first that reaches one has it.
static int add_thread(
  struct carrel_scan *scan, struct carrel_scan_thread *list, size_t *count, uint32_t step,
  size_t origin, size_t begin, size_t position
) {
  const struct carrel_scan_step *steps = scan->table->steps;
  for (;;) {
    uint32_t place = scan->places[step];
    if (place < *count && list[place].step == step) return 0;
    scan->places[step] = (uint32_t)*count;
    list[(*count)++] =
      (struct carrel_scan_thread){.step = step, .origin = origin, .begin = begin};
    switch (steps[step].kind) {
    case CARREL_SCAN_SPLIT:
      if (add_thread(scan, list, count, steps[step].next, origin, begin, position) < 0) return -1;
      step = steps[step].other;
      continue;
    case CARREL_SCAN_BEGIN:
      begin = position;
      list[*count - 1].begin = begin;
      step = steps[step].next;
      continue;
    case CARREL_SCAN_MATCH:
      if (steps[step].set != carrel_scan_nothing) return 0;
      return add_match(scan, steps[step].next, origin, begin, position);
    default: return 0;
    }
  }
}

// Takes a byte, or the end, which is 256, at an offset.
static int advance(struct carrel_scan *scan, unsigned byte, size_t position) {
  const struct carrel_scan_table *table = scan->table;
  scan->then_count = 0;
  for (size_t index = 0; index < scan->now_count; index++) {
    struct carrel_scan_thread thread = scan->now[index];
    const struct carrel_scan_step *step = &table->steps[thread.step];
    if (step->kind == CARREL_SCAN_SPLIT || step->kind == CARREL_SCAN_BEGIN) continue;
    if (step->set == carrel_scan_nothing) continue;
    if (!table->sets[(size_t)step->set * 257 + byte]) continue;
    if (step->kind == CARREL_SCAN_MATCH) {
      if (add_match(scan, step->next, thread.origin, thread.begin, position) < 0) return -1;
    } else if (byte < 256 && position + 1 - thread.origin <= table->longest) {
      if (add_thread(
            scan, scan->then, &scan->then_count, step->next, thread.origin, thread.begin,
            position + 1) < 0)
        return -1;
    }
  }
  struct carrel_scan_thread *list = scan->now;
  scan->now = scan->then;
  scan->then = list;
  scan->now_count = scan->then_count;
  return 0;
}

static int is_word(uint8_t byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') || byte == '_';
}

static int is_hexadecimal(uint8_t byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') ||
         (byte >= 'A' && byte <= 'F');
}

// Whether a word can begin at `bytes[index]`: also behind an escape of JSON (\n), of a URL (%20)
// and of a terminal (ESC [ 1 m).
static int is_boundary(const uint8_t *bytes, size_t index) {
  if (index == 0 || !is_word(bytes[index - 1])) return 1;
  if (index < 2) return 0;
  uint8_t last = bytes[index - 1], before = bytes[index - 2];
  // Between binary data, the length of the text that begins here.
  if (before < 32 && before != '\t' && before != '\n' && before != '\r') return 1;
  if (before == '\\')
    return last == 'n' || last == 'r' || last == 't' || last == 'b' || last == 'f';
  if (last == 'm') {
    size_t first = index - 1;
    while (first > 0 && index - first < 12 &&
           ((bytes[first - 1] >= '0' && bytes[first - 1] <= '9') || bytes[first - 1] == ';'))
      first--;
    return first > 0 && bytes[first - 1] == '[';
  }
  if (index >= 3 && bytes[index - 3] == '%') return is_hexadecimal(before) && is_hexadecimal(last);
  return index >= 6 && bytes[index - 6] == '\\' && bytes[index - 5] == 'u' &&
         is_hexadecimal(before) && is_hexadecimal(last);
}

static int add_hits(
  struct carrel_scan *scan, const uint8_t *bytes, size_t base, size_t end, uint32_t first,
  uint32_t last
) {
  const struct carrel_scan_table *table = scan->table;
  for (uint32_t number = first; number < last; number++) {
    const struct carrel_scan_literal *literal = &table->literals[table->hits[number]];
    if (end - base < literal->length) continue;
    const uint8_t *begin = bytes + (end - base - literal->length);
    if (!literal->folds && memcmp(begin, table->texts + literal->text, literal->length) != 0)
      continue;
    if (literal->is_bounded && !is_boundary(bytes, (size_t)(begin - bytes))) continue;
    size_t origin = end - literal->length;
    if (add_thread(scan, scan->now, &scan->now_count, literal->step, origin, origin, end) < 0)
      return -1;
  }
  return 0;
}

int carrel_scan_feed(
  struct carrel_scan *scan, const uint8_t *bytes, size_t base, size_t from, size_t to
) {
  const struct carrel_scan_table *table = scan->table;
  const uint8_t *classes = table->classes;
  const uint32_t *states = table->states, *hits_begin = table->hits_begin;
  const size_t class_count = table->class_count;
  uint32_t state = scan->state;
  for (size_t position = from; position < to; position++) {
    uint8_t byte = bytes[position - base];
    state = states[state * class_count + classes[byte]];
    if (scan->now_count && advance(scan, byte, position) < 0) return -1;
    uint32_t first = hits_begin[state], last = hits_begin[state + 1];
    if (first != last && add_hits(scan, bytes, base, position + 1, first, last) < 0) return -1;
  }
  scan->state = state;
  return 0;
}

int carrel_scan_end(struct carrel_scan *scan, size_t end) {
  int result = advance(scan, 256, end);
  scan->now_count = 0;
  return result;
}

size_t carrel_scan_oldest(const struct carrel_scan *scan, size_t position) {
  for (size_t index = 0; index < scan->now_count; index++)
    if (scan->now[index].origin < position) position = scan->now[index].origin;
  return position;
}

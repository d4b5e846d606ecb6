#include "lucid_error_slot.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lucid.h"

enum { SLOT_SIZE = 4096, SLOT_COUNT = 2 };

static _Thread_local char last_message[SLOT_SIZE];
static _Thread_local lucid_status last_status = LUCID_OK;
static _Thread_local char texts[SLOT_COUNT][SLOT_SIZE];

/* Copies as much as fits, never ending inside a UTF-8 sequence. */
static void copy_text(char *target, const char *source) {
  size_t length = 0;
  while (length < SLOT_SIZE - 1 && source[length] != '\0') {
    target[length] = source[length];
    length++;
  }
  if (source[length] != '\0') {
    while (length > 0 && ((unsigned char)source[length] & 0xC0) == 0x80) length--;
  }
  target[length] = '\0';
}

void lucid_slot_fail(int32_t status, const char *message) {
  last_status = status;
  copy_text(last_message, message);
}

const char *lucid_slot_text(int32_t slot, const char *text) {
  char *target = texts[slot == 0 ? 0 : 1];
  copy_text(target, text);
  return target;
}

const char *lucid_error_message(void) { return last_message; }

lucid_status lucid_error_status(void) { return last_status; }

char *lucid_slot_copy(const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  if (copy != NULL) memcpy(copy, text, size);
  return copy;
}

void lucid_string_free(char *string) { free(string); }

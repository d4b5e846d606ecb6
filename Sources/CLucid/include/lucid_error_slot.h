/* The thread-local slots behind lucid_error_message and the other borrowed strings: the library's own
 * side, no part of the interface. */
#ifndef LUCID_ERROR_SLOT_H
#define LUCID_ERROR_SLOT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Remembers a failure of this thread. The text is copied, and cut if it is very long. */
void lucid_slot_fail(int32_t status, const char *message);
/* Copies a text into this thread's slot for borrowed strings (0 or 1) and gives the copy. */
const char *lucid_slot_text(int32_t slot, const char *text);
/* A copy that lucid_string_free releases; NULL without memory. */
char *lucid_slot_copy(const char *text);

#ifdef __cplusplus
}
#endif
#endif

// Sorting of distinct elements: CK_ELEMENT, made of a key and an index by CK_MAKE; CK_LESS(a, b);
// CK_KEY(e), a CK_KEY_TYPE whose order is that of the elements up to ties; CK_SORT(x) names.

static void CK_SORT(insert)(CK_ELEMENT *a, int64_t n) {
  for (int64_t i = 1; i < n; i++) {
    CK_ELEMENT e = a[i];
    int64_t j = i;
    for (; j > 0 && CK_LESS(e, a[j - 1]); j--) a[j] = a[j - 1];
    a[j] = e;
  }
}

static void CK_SORT(merge)(const CK_ELEMENT *a, int64_t n, const CK_ELEMENT *b, int64_t m,
                           CK_ELEMENT *out) {
  int64_t i = 0, j = 0;
  while (i < n && j < m) {
    bool second = CK_LESS(b[j], a[i]);
    *out++ = second ? b[j] : a[i];
    j += second;
    i += !second;
  }
  while (i < n) *out++ = a[i++];
  while (j < m) *out++ = b[j++];
}

static void CK_SORT(merge_sort)(CK_ELEMENT *a, CK_ELEMENT *spare, int64_t n) {
  enum { RUN = 12 };
  for (int64_t i = 0; i < n; i += RUN) CK_SORT(insert)(a + i, n - i < RUN ? n - i : RUN);
  CK_ELEMENT *from = a, *to = spare;
  for (int64_t run = RUN; run < n; run *= 2) {
    for (int64_t i = 0; i < n; i += 2 * run) {
      int64_t left = n - i < run ? n - i : run;
      int64_t right = n - i - left < run ? n - i - left : run;
      CK_SORT(merge)(from + i, left, from + i + left, right, to + i);
    }
    CK_ELEMENT *t = from;
    from = to, to = t;
  }
  if (from != a) memcpy(a, from, (size_t)n * sizeof *a);
}

/// Stable by construction, so ties come in the order of `a`: by index, as the elements were made.
static void CK_SORT(radix_sort)(CK_ELEMENT *a, CK_ELEMENT *spare, int64_t n, int32_t bytes) {
  uint32_t histogram[8][256];
  memset(histogram, 0, sizeof histogram[0] * (size_t)bytes);
  for (int64_t i = 0; i < n; i++) {
    uint64_t key = CK_KEY(a[i]);
    for (int32_t b = 0; b < bytes; b++) histogram[b][key >> (8 * b) & 255]++;
  }
  CK_ELEMENT *from = a, *to = spare;
  for (int32_t b = 0; b < bytes; b++) {
    uint32_t *h = histogram[b];
    if (h[CK_KEY(from[0]) >> (8 * b) & 255] == (uint32_t)n) continue;
    uint32_t sum = 0;
    for (int32_t v = 0; v < 256; v++) {
      uint32_t count = h[v];
      h[v] = sum;
      sum += count;
    }
    for (int64_t i = 0; i < n; i++) to[h[CK_KEY(from[i]) >> (8 * b) & 255]++] = from[i];
    CK_ELEMENT *t = from;
    from = to, to = t;
  }
  if (from != a) memcpy(a, from, (size_t)n * sizeof *a);
}

static void CK_SORT(sort)(CK_ELEMENT *a, CK_ELEMENT *spare, int64_t n, int32_t bytes) {
  if (n < 200 * bytes) {
    CK_SORT(merge_sort)(a, spare, n);
  } else {
    CK_SORT(radix_sort)(a, spare, n, bytes);
  }
}

/// Brings the k smallest to the front, in any order. `spare` holds n elements.
static void CK_SORT(select)(CK_ELEMENT *a, CK_ELEMENT *spare, int64_t n, int64_t k) {
  int64_t low = 0, high = n - 1;
  for (int32_t rounds = 0; low < high; rounds++) {
    if (rounds == 64) {
      // Only a crafted order gets here.
      CK_SORT(merge_sort)(a + low, spare, high - low + 1);
      return;
    }
    CK_ELEMENT x = a[low], y = a[low + (high - low) / 2], z = a[high];
    CK_ELEMENT pivot = CK_LESS(x, y) ? (CK_LESS(y, z) ? y : CK_LESS(x, z) ? z : x)
                                     : (CK_LESS(x, z) ? x : CK_LESS(y, z) ? z : y);
    int64_t i = low, j = high;
    while (i <= j) {
      while (CK_LESS(a[i], pivot)) i++;
      while (CK_LESS(pivot, a[j])) j--;
      if (i > j) break;
      CK_ELEMENT e = a[i];
      a[i++] = a[j], a[j--] = e;
    }
    // Now low ... j <= pivot <= i ... high.
    if (k <= j) high = j; else if (k >= i) low = i; else return;
  }
}

/// The k first of one line in order, in `a` (n elements of room, as has `spare`).
static void CK_SORT(line)(const sorter *s, const void *line, CK_ELEMENT *a, CK_ELEMENT *spare) {
  int64_t n = s->length, k = s->k;
  int32_t bytes = (int32_t)s->size;
  CK_KEY_TYPE keys[CK_SORT_PIECE];
  if (k > n / 4) {
    for (int64_t i = 0; i < n; i += CK_SORT_PIECE) {
      int64_t m = n - i < CK_SORT_PIECE ? n - i : CK_SORT_PIECE;
      CK_SORT(keys)(s, line, i, m, keys);
      for (int64_t j = 0; j < m; j++) a[i + j] = CK_MAKE(keys[j], i + j);
    }
    if (k < n) CK_SORT(select)(a, spare, n, k);
    // Selection loses the order that the radix sort's stability rests on.
    if (k < n) CK_SORT(merge_sort)(a, spare, k); else CK_SORT(sort)(a, spare, n, bytes);
    return;
  }
  // Few of many: keep candidates below a falling limit.
  int64_t room = 4 * k + 4 * CK_SORT_PIECE < n ? 4 * k + 4 * CK_SORT_PIECE : n, count = 0;
  CK_KEY_TYPE limit = (CK_KEY_TYPE)-1;
  bool limited = false;
  for (int64_t i = 0; i < n; i += CK_SORT_PIECE) {
    int64_t m = n - i < CK_SORT_PIECE ? n - i : CK_SORT_PIECE;
    if (count + m > room) {
      CK_SORT(select)(a, spare, count, k);
      count = k;
      limited = true;
      limit = 0;
      for (int64_t j = 0; j < k; j++) limit = CK_KEY(a[j]) > limit ? CK_KEY(a[j]) : limit;
    }
    CK_SORT(keys)(s, line, i, m, keys);
    // A tie with the limit has a later index than the k candidates, so it never enters.
    if (limited) {
      int any = 0;
      for (int64_t j = 0; j < m; j++) any |= keys[j] < limit;
      if (!any) continue;
    }
    for (int64_t j = 0; j < m; j++) {
      a[count] = CK_MAKE(keys[j], i + j);
      count += !limited || keys[j] < limit;
    }
  }
  if (k < count) CK_SORT(select)(a, spare, count, k);
  CK_SORT(merge_sort)(a, spare, k);
}

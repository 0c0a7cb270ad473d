/** Of a URL that was visited, in the order in which tests and measurements write them. */
export const KNOWN_COLUMNS = [
  'collection_id',
  'host_id',
  'hash',
  'url',
  'role',
  'weight',
  'next_visit_at',
  'first_visit_at',
  'last_visit_at',
  'visits',
  'changes',
  'magnitude',
  'rate',
  'belief',
]

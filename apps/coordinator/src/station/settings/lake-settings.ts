/** Settings of queries, uploads, tables, SQL and the search for texts. */
import { whole, word } from './setting-kinds.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const YEAR_MS = 365 * DAY_MS

export const LAKE_SETTINGS = {
  queriesOpenMax: whole({
    default: 50,
    unit: 'queries',
    min: 1,
    max: 100_000,
    about: 'Queries that one account may have running at a time.',
    holds: 'for the next query',
  }),
  readerQueriesOpenMax: whole({
    // People who register themselves may try queries; who needs more asks the operator for a role.
    default: 5,
    unit: 'queries',
    min: 0,
    max: 100_000,
    about:
      'Queries that an account with no more rights than people who register themselves (reader, volunteer) may have running at a time.',
    holds: 'for the next query',
  }),
  queryMemoryMb: whole({
    default: 1_024,
    unit: 'MB',
    min: 64,
    max: 1_048_576,
    about:
      'Memory of one task of a query that does not say how much; what does not fit is put on the disk.',
    holds: 'for queries that are asked from then on',
  }),
  queryAbandonedMs: whole({
    // An evening's query survives a closed laptop for a while; its client may always come back within it.
    default: HOUR_MS,
    unit: 'ms',
    min: 10_000,
    max: YEAR_MS,
    about:
      'How long a query continues without a sign of its client; then it ends and is cleaned up.',
    holds: 'for queries that are asked from then on',
  }),
  resultsKeptMs: whole({
    default: DAY_MS,
    unit: 'ms',
    min: MINUTE_MS,
    max: YEAR_MS,
    about: 'How long the results of a query are kept after its end.',
    holds: 'for queries that are asked from then on',
  }),
  uploadBytesMax: whole({
    default: 100_000_000_000,
    unit: 'bytes',
    min: 0,
    max: 1_000_000_000_000_000,
    about: 'Bytes of all inputs together that one account may have sent up.',
    holds: 'for the next upload',
  }),
  readerUploadBytesMax: whole({
    default: 1_000_000_000,
    unit: 'bytes',
    min: 0,
    max: 1_000_000_000_000_000,
    about:
      'Bytes of all inputs together that an account with no more rights than people who register themselves (reader, volunteer) may have sent up.',
    holds: 'for the next upload',
  }),
  uploadKeptMs: whole({
    default: DAY_MS,
    unit: 'ms',
    min: MINUTE_MS,
    max: YEAR_MS,
    about:
      'How long an input that was sent up is kept after its last part; while a query reads it, it stays.',
    holds: 'from the next part on',
  }),
  tableVersionsKeptMs: whole({
    default: 7 * DAY_MS,
    unit: 'ms',
    min: 0,
    max: 10 * YEAR_MS,
    about: 'How long a table can be read as it was before a change.',
    holds: 'within ten minutes, also for changes that were made already',
  }),
  feedTables: word({
    default: null,
    pattern: /^(none|(captures|links|changes|requests|events|revisions)(,\w+)*)$/,
    wanted: 'names of tables with commas between them, none, or null for all',
    about:
      'Which of its own tables the station fills: captures, links, changes, requests, events, revisions.',
    holds:
      'for what happens from then on; captures and changes of before come when they are switched on again',
  }),
  feedEveryMs: whole({
    // Every file costs a little to read: few larger ones serve better, and a reader gets everything
    // at once anyway.
    default: 5 * MINUTE_MS,
    unit: 'ms',
    min: 1_000,
    max: DAY_MS,
    about:
      'How long events may wait before they are written to the station’s tables; a query has them written at once.',
    holds: 'from the next second on',
  }),
  textCharacters: whole({
    // A long article has 30,000. More words than 16,000 of a page are not indexed in any case.
    default: 100_000,
    unit: 'characters',
    min: 0,
    max: 200_000,
    about:
      'Characters of each captured page that are indexed for the search for texts; 0 switches it off, and what is indexed stays for when it is switched on again.',
    holds: 'for captures that are indexed from then on',
  }),
  sqlAtOnceMax: whole({
    // Each is a process with memory of its own.
    default: 4,
    unit: 'questions',
    min: 1,
    max: 1_000,
    about: 'Questions in SQL that are answered at a time; one account may ask half of them.',
    holds: 'for the next question',
  }),
  sqlTimeoutMs: whole({
    default: MINUTE_MS,
    unit: 'ms',
    min: 100,
    max: DAY_MS,
    about: 'The longest that a question in SQL may take.',
    holds: 'for the next question',
  }),
  sqlMemoryMb: whole({
    default: 1_024,
    unit: 'MB',
    min: 64,
    max: 1_048_576,
    about: 'Memory of a question in SQL; what does not fit is put on the disk.',
    holds: 'for the next question',
  }),
  sqlRowsMax: whole({
    default: 10_000_000,
    unit: 'rows',
    min: 1,
    max: 1_000_000_000_000,
    about: 'Rows that the answer to a question in SQL may have.',
    holds: 'for the next question',
  }),
  sqlBytesMax: whole({
    default: 10_000_000_000,
    unit: 'bytes',
    min: 1_000,
    max: 1_000_000_000_000_000,
    about:
      'Bytes that the answer to a question in SQL may have, and as many again that it may put on the disk in the meantime.',
    holds: 'for the next question',
  }),
}

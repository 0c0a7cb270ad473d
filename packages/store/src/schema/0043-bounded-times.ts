/**
 * Repairs numbers that devices reported before they were bounded: captures of a time to come, which were the newest
 * version for ever or could not be written into an index at all, and pauses that kept hosts out of reach for ever.
 */
const DAY_MS = 86_400_000
/** As in host-clock.ts of the frontier: the longest pause that grows by itself. */
const BACKOFF_MAX_MS = 600_000
const HOUR_MS = 3_600_000

const isWrong = `captured_at < 0 OR captured_at > {{now}} + ${DAY_MS}`
const nearest = `CASE WHEN captured_at < 0 THEN 0 ELSE {{now}} END`

export const boundedTimes = {
  version: 43,
  name: 'bounded-times',
  statements: [
    // The index of the archive is written again where a row of it changes.
    `DELETE FROM station_facts WHERE name = 'indexed'
     AND EXISTS (SELECT 1 FROM captures WHERE ${isWrong})`,
    `UPDATE captures SET captured_at = ${nearest} WHERE ${isWrong}`,
    `UPDATE payloads SET captured_at = ${nearest} WHERE ${isWrong}`,
    `UPDATE requests SET captured_at = ${nearest} WHERE ${isWrong}`,
    `UPDATE hosts SET backoff_ms = ${BACKOFF_MAX_MS} WHERE backoff_ms > ${DAY_MS}`,
    `UPDATE hosts SET latency_ms = ${HOUR_MS} WHERE latency_ms > ${HOUR_MS}`,
    `UPDATE hosts SET next_allowed_at = {{now}} WHERE next_allowed_at > {{now}} + ${DAY_MS}`,
    `UPDATE address_groups SET next_allowed_at = {{now}}
     WHERE next_allowed_at > {{now}} + ${DAY_MS}`,
    `UPDATE collection_hosts SET turn_at = {{now}} WHERE turn_at > {{now}} + ${DAY_MS}`,
    `UPDATE urls SET not_before = {{now}}
     WHERE outcome IS NULL AND not_before > {{now}} + ${DAY_MS}`,
  ],
}

/** What every agent knows of the protocol. Apart from the messages: an agent starts without zod, and
 * loads it with the checks of what its station answers (`station-answers.ts`). */

/** Bumped when an older agent could misread a newer message. */
export const PROTOCOL_VERSION = 2

/**
 * Silence after which a lease ends. Four missed beats: shorter takes work from healthy agents
 * under load, longer only delays a retry. Agents stop dialling when this has passed since they
 * SENT the last beat that was answered, which is never later than the coordinator's count.
 */
export const SILENCE_MS = 10_000
export const BEAT_EVERY_MS = 2_500

export const LOAD_REPORT_EVERY_MS = 1_000
/**
 * A machine without a message for this long stops by itself. A shorter time would end tests at
 * every hiccup of a station; a longer one would load a site without a reader of the results.
 */
export const LOAD_DEAD_MAN_MS = 5_000

/**
 * Limits of every test, whatever was requested or proven. Enforced by the station for a test, and
 * by every machine for its part.
 */
export const LOAD_MOST = {
  visitors: 1_000,
  requestsPerSecond: 500,
  /** 4 GiB. */
  bytes: 4 * 1024 ** 3,
  durationMs: 3_600_000,
  urls: 200,
} as const

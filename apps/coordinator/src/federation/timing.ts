/**
 * The times that keep two stations from dialling the same host. All of them are counted on one machine's
 * own clock; they are safe as long as no two clocks run more than a tenth apart.
 */
import { SILENCE_MS } from '@minga/protocol'

/** Between two renewals: four may be lost before a healthy station stops. */
export const RENEW_EVERY_MS = 2_000
/**
 * The right to dial, from when its renewal was sent. Shorter stops stations at every hiccup of a network;
 * longer lets the hosts of a dead one rest for as long.
 */
export const LEASE_MS = 10_000
/**
 * Beyond its lease, until a station surely does not dial: its agents stop at most this long after the last
 * beat that it answered. The rest is for clocks that differ. Too short would break the rule that
 * a host has one visitor; too long only delays.
 */
export const GRACE_MS = SILENCE_MS + 2_000
/** A renewal that has no answer by then is tried again while the lease still holds. */
export const RENEW_PATIENCE_MS = 3_000
/** Of any other call between stations: a batch of a megabyte over a thin line. */
export const CALL_PATIENCE_MS = 15_000
/** How far the clocks of two stations may differ, and how long a call's nonce is remembered. */
export const SKEW_MS = 60_000
/** Of a federation whose founder is still its registrar. */
export const FIRST_TERM = 1
/** Of an invitation: long enough to mail it, short enough to forget it. */
export const INVITE_MS = 86_400_000

/**
 * Checks clients while the station runs (answers of sites come in between submissions) and reports
 * findings to the operator: one line in the log, the live page, a webhook.
 */
import { randomUUID } from 'node:crypto'
import type { Flag } from '@minga/fleet'
import type { EventDetails } from '@minga/protocol'
import { callSigned, webhookSecret } from '../close-batches.ts'
import { alarmsFor } from './submission-check.ts'
import type { Station } from '../../station/station.ts'

/** Results come by the thousand a second; flags are never read that fast. */
const LOOK_EVERY_MS = 10_000
const SWEEP_EVERY_MS = 3_600_000
/** Flags reported at a time: a flood of flags must not hold up the tick. */
const CLAIMED_MAX = 100
/** Under which the operator's address is kept among the facts of the station. */
export const WEBHOOK_FACT = 'abuseWebhook'

export class AbuseMonitor {
  readonly #station: Station
  readonly #tellPages: (event: string, data: unknown) => void
  #lookedAt: number
  #lookAgainMs: number
  #sweepAgainMs = 0

  constructor(station: Station, tellPages: (event: string, data: unknown) => void) {
    this.#station = station
    this.#tellPages = tellPages
    this.#lookedAt = station.clock.now()
    this.#lookAgainMs = station.clock.monotonicMs() + LOOK_EVERY_MS
  }

  /** At the station's pulse. */
  async tick(): Promise<void> {
    const { clock, store } = this.#station
    const atMs = clock.monotonicMs()
    if (atMs >= this.#lookAgainMs) {
      this.#lookAgainMs = atMs + LOOK_EVERY_MS
      await this.#look()
    }
    if (atMs >= this.#sweepAgainMs) {
      this.#sweepAgainMs = atMs + SWEEP_EVERY_MS
      await store.call('sweepClientDays', { now: clock.now() })
    }
    await this.#tell()
  }

  async #look(): Promise<void> {
    const { store, clock, settings } = this.#station
    const since = this.#lookedAt
    const now = clock.now()
    this.#lookedAt = now
    for (const client of await store.call('clientsSince', { since })) {
      const alarms = alarmsFor(client, settings.current())
      await store.call('raiseFlags', { client, newId: randomUUID(), ...alarms, now })
    }
  }

  async #tell(): Promise<void> {
    const { store, clock, log, eventLog } = this.#station
    const claim = { limit: CLAIMED_MAX, now: clock.now() }
    const flags = await store.call('claimUnreportedFlags', claim)
    if (flags.length === 0) return
    for (const flag of flags) {
      log(lineOf(flag))
      const noted = { subject: flag.client, sentence: sentenceOf(flag), details: detailsOf(flag) }
      eventLog.note({ code: 'abuse:flagged', ...noted })
    }
    // Anyone on this machine may view the live page: it gets the number of flags, not their
    // content.
    this.#tellPages('abuse', { open: await store.call('openFlags', {}) })
    const url = await store.call('readFact', { name: WEBHOOK_FACT })
    if (url) void this.#call(url, flags)
  }

  /** Not waited for: a slow server of the operator's must not keep the station. */
  async #call(url: string, flags: readonly Flag[]): Promise<void> {
    const { secret, clock, log } = this.#station
    const body = JSON.stringify({ event: 'abuse.flags', flags })
    const isTaken = await callSigned(this.#station, {
      url,
      body,
      secret: webhookSecret(secret, WEBHOOK_FACT),
      atMs: clock.now(),
    }).catch(() => false)
    if (!isTaken) log('minga: the webhook for flags did not take them; see GET /api/abuse/flags')
  }
}

function lineOf(flag: Flag): string {
  return `minga: ${sentenceOf(flag)}`
}

/** Kinds, numbers and ids only: nothing that a client wrote can forge a line of the log. */
function sentenceOf(flag: Flag): string {
  const { severity, kind, numbers, effect } = detailsOf(flag)
  return `${severity} ${kind} by client ${flag.client} (${numbers}), effect ${effect}: flag ${flag.id}`
}

function detailsOf({ id, kind, severity, effect, evidence }: Flag): EventDetails<'abuse:flagged'> {
  const numbers = Object.entries(evidence)
    .filter(([, value]) => typeof value === 'number')
    .map(([name, value]) => `${name} ${value}`)
  return { severity, kind, numbers: numbers.join(', '), effect, flag: id }
}

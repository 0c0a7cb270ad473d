/**
 * What hosts' own DNS says about their location (LOC, RFC 1876). Few names have a record, so its
 * content or absence is remembered for a month, and at most one name a second is queried: it is an
 * estimate that no caller waits for. Runs only while the setting `places` is on.
 */
import { hostNameOf, literalAddress } from '@minga/frontier'
import type { LocLookup } from '@minga/net'
import type { Sql } from '@minga/store'
import type { Station } from '../../station/station.ts'

const DAY_MS = 24 * 3_600_000
const KEPT_MS = 30 * DAY_MS
const LOOK_EVERY_MS = 1_000
const HOSTS_AHEAD = 100
/** After all hosts were gone through. */
const REST_MS = 600_000

interface ToLookUp {
  after: string
  limit: number
  notSince: number
}

export async function hostsToLookUp(
  sql: Sql,
  { after, limit, notSince }: ToLookUp,
): Promise<{ host: string; isKnown: boolean }[]> {
  const rows = await sql.all<{ host: string; looked_at: number | null }>(
    `SELECT p.host, l.looked_at FROM place_pages p LEFT JOIN place_locs l ON l.host = p.host
     WHERE p.host > ? ORDER BY p.host LIMIT ?`,
    [after, limit],
  )
  return rows.map(({ host, looked_at: at }) => ({ host, isKnown: at !== null && at >= notSince }))
}

export async function noteLocs(
  sql: Sql,
  { host, loc, now }: { host: string; loc: string | null; now: number },
): Promise<void> {
  await sql.insertMany({
    table: 'place_locs',
    columns: ['host', 'loc', 'looked_at'],
    rows: [[host, loc, now]],
    onConflict: { keys: ['host'], update: ['loc', 'looked_at'] },
  })
}

interface LocRecordParts extends Pick<Station, 'store' | 'clock'> {
  lookup: LocLookup
  isOn: () => boolean
}

/** Goes round the hosts of the graph as a part of the station that ticks. */
export class LocRecordRefresher {
  readonly #parts: LocRecordParts
  #ahead: string[] = []
  #after = ''
  #nextLookMs = 0
  #isLooking = false

  constructor(parts: LocRecordParts) {
    this.#parts = parts
  }

  /** At the station's pulse. */
  async tick(): Promise<void> {
    const { clock, isOn } = this.#parts
    if (!isOn() || this.#isLooking || clock.monotonicMs() < this.#nextLookMs) return
    this.#nextLookMs = clock.monotonicMs() + LOOK_EVERY_MS
    if (this.#ahead.length === 0) await this.#lookAhead()
    const host = this.#ahead.shift()
    if (host === undefined) return
    this.#isLooking = true
    // No caller waits for a slow name server; what could not be stored is queried again in the next
    // round.
    void this.#look(host)
      .catch(() => {})
      .finally(() => (this.#isLooking = false))
  }

  async #lookAhead(): Promise<void> {
    const { store, clock } = this.#parts
    const hosts = await store.call('hostsToLookUp', {
      after: this.#after,
      limit: HOSTS_AHEAD,
      notSince: clock.now() - KEPT_MS,
    } satisfies ToLookUp)
    this.#after = hosts.at(-1)?.host ?? ''
    if (hosts.length === 0) this.#nextLookMs = clock.monotonicMs() + REST_MS
    this.#ahead = hosts.filter(({ isKnown }) => !isKnown).map(({ host }) => host)
  }

  async #look(host: string): Promise<void> {
    const { store, clock, lookup } = this.#parts
    const name = hostNameOf(host)
    // An address has no such record, nor has a name of this network alone.
    const mayHave = literalAddress(host) === null && name.includes('.')
    const answer = mayHave ? await lookup(name) : { ok: true as const, loc: null }
    // A server that did not answer is asked again on the next round.
    if (answer.ok) await store.call('noteLocs', { host, loc: answer.loc, now: clock.now() })
  }
}

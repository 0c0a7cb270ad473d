/**
 * How many requests a caller may send in a minute, over all coordinators of a station. The count is
 * a row of the store, from which each coordinator leases a tenth of the limit at a time; its first
 * tenth of a minute is free. So an ordinary caller costs no query of the store, a busy one ten in a
 * minute, and several coordinators together allow at most a tenth each more than one would.
 */
import { createHmac } from 'node:crypto'
import type { Sql, OperationTable } from '@minga/store'
import { RateLimited } from '../../station/errors.ts'
import type { Station } from '../../station/station.ts'

const PERIOD_MS = 60_000
const LEASED_SHARE = 0.1
/** About 20 MB. Who wants to be forgotten needs as many addresses or accounts in one minute. */
const NAMES_MOST = 100_000

export interface Rate {
  /** Completes the sentence “The limit of … is reached”. */
  what: string
  /** Requests in a minute; null: no limit. */
  most: number | null
}

interface Bucket {
  used: number
  /** What may be used without asking the store. */
  allowed: number
  /** What the store counts as ours. */
  leased: number
  isEmpty: boolean
  asking: Promise<void> | null
}

export class SharedRates {
  readonly #parts: Pick<Station, 'store' | 'clock' | 'secret'>
  #period = 0
  #mustSweep = false
  readonly #buckets = new Map<string, Bucket>()

  constructor(parts: Pick<Station, 'store' | 'clock' | 'secret'>) {
    this.#parts = parts
  }

  /**
   * Counts a request; the promise, if any, is of a query of the store. Throws or rejects when it is
   * one too many.
   */
  take({ what, most }: Rate, who: string): Promise<void> | undefined {
    if (most === null) return undefined
    const name = `${what} ${who}`
    const bucket = this.#bucketOf(name, most)
    bucket.used++
    if (bucket.used <= bucket.allowed) return undefined
    return this.#takeMore(bucket, { what, most, name })
  }

  /** The request does not count after all. */
  giveBack({ what, most }: Rate, who: string): void {
    if (most === null) return
    const bucket = this.#bucketOf(`${what} ${who}`, most)
    bucket.used = Math.max(0, bucket.used - 1)
  }

  #bucketOf(name: string, most: number): Bucket {
    const period = Math.floor(this.#parts.clock.now() / PERIOD_MS)
    if (period !== this.#period) {
      this.#period = period
      this.#buckets.clear()
      this.#mustSweep = true
    }
    const known = this.#buckets.get(name)
    if (known !== undefined) return known
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size < NAMES_MOST) break
      this.#buckets.delete(oldest)
    }
    const allowed = Math.floor(most * LEASED_SHARE)
    const bucket = { used: 0, allowed, leased: 0, isEmpty: false, asking: null }
    this.#buckets.set(name, bucket)
    return bucket
  }

  async #takeMore(
    bucket: Bucket,
    rate: { what: string; most: number; name: string },
  ): Promise<void> {
    const place = bucket.used
    while (place > bucket.allowed && !bucket.isEmpty) {
      // Requests that come together ask once.
      bucket.asking ??= this.#lease(bucket, rate).finally(() => {
        bucket.asking = null
      })
      await bucket.asking
    }
    if (place <= bucket.allowed) return
    bucket.used--
    throw new RateLimited(rate.what, PERIOD_MS - (this.#parts.clock.now() % PERIOD_MS))
  }

  async #lease(bucket: Bucket, { most, name }: { most: number; name: string }): Promise<void> {
    const { store, secret } = this.#parts
    const more = Math.max(1, Math.floor(most * LEASED_SHARE))
    const tokens = bucket.allowed - bucket.leased + more
    const mustSweep = this.#mustSweep
    this.#mustSweep = false
    const granted = await store.call('leaseRate', {
      // Addresses are not to be read from a copy of the database.
      name: createHmac('sha256', secret).update(name).digest('hex'),
      period: this.#period,
      tokens,
      most,
      mustSweep,
    })
    bucket.leased += granted
    bucket.allowed = Math.max(bucket.allowed, bucket.leased)
    bucket.isEmpty = granted < tokens
  }
}

/**
 * Returns how many of the tokens are available. A requested token that is not available counts as
 * used, so that it is not requested again.
 */
async function leaseRate(
  sql: Sql,
  rate: { name: string; period: number; tokens: number; most: number; mustSweep: boolean },
): Promise<number> {
  const { name, period, tokens, most, mustSweep } = rate
  if (mustSweep) await sql.run('DELETE FROM request_rates WHERE period < ?', [period])
  const row = await sql.get<{ used: number }>(
    `INSERT INTO request_rates (name, period, used) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET
       used = excluded.used + CASE WHEN request_rates.period < excluded.period THEN 0 ELSE request_rates.used END,
       period = CASE WHEN request_rates.period < excluded.period THEN excluded.period ELSE request_rates.period END
     RETURNING used`,
    [name, period, tokens],
  )
  const before = row!.used - tokens
  return Math.max(0, Math.min(tokens, most - before))
}

export const rateOperations = { leaseRate } satisfies OperationTable

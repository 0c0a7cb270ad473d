/** Random histories of money: what may happen, how it is asked of the ledger, and a plain model. */
import * as fc from 'fast-check'
import { blockEntries } from '../../src/ledger/pay.ts'
import type { TestLedger } from './ledger-fixture.ts'
import type { Entry } from '../../src/ledger/posting.ts'

const CLIENTS = 3
const BATCHES = 4
const DEVICES = 4

/** Batches and devices keep their owner for good. */
const clientOf = (batch: number): number => batch % CLIENTS
const ownerOf = (device: number): number => device % 2
/** By client; the last one has no limit. */
const CREDIT_LIMITS: readonly (number | null)[] = [0, 500, null]

interface Served {
  batch: number
  device: number
  micros: number
  isHeld: boolean
}

export type Event =
  | { type: 'topUp' | 'withdraw'; client: number; micros: number }
  | { type: 'cashOut'; device: number; micros: number }
  | { type: 'reserve' | 'refund' | 'cacheHit'; batch: number; micros: number }
  | { type: 'compensate'; batch: number; micros: number; isOpen: boolean }
  | { type: 'payBlock'; charges: Served[]; shareBps: number }
  | { type: 'payAudit'; device: number; micros: number; isHeld: boolean }
  | { type: 'releaseHeld' | 'forfeitHeld'; device: number }
  | { type: 'closeBatch'; batch: number }

/** `again`: which of the events before is repeated under its own id instead. */
export interface Happening {
  event: Event
  again: number | null
}

const client = fc.nat(CLIENTS - 1)
const batch = fc.nat(BATCHES - 1)
const device = fc.nat(DEVICES - 1)
const micros = fc.nat(1_000)
const isHeld = fc.boolean()
const one = <T extends Event['type']>(type: T): fc.Arbitrary<T> => fc.constant(type)

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: one('topUp'), client, micros }) },
  { weight: 1, arbitrary: fc.record({ type: one('withdraw'), client, micros }) },
  { weight: 1, arbitrary: fc.record({ type: one('cashOut'), device, micros }) },
  { weight: 6, arbitrary: fc.record({ type: one('reserve'), batch, micros }) },
  { weight: 2, arbitrary: fc.record({ type: one('refund'), batch, micros: fc.nat(300) }) },
  { weight: 2, arbitrary: fc.record({ type: one('cacheHit'), batch, micros: fc.nat(300) }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: one('compensate'), batch, micros, isOpen: fc.boolean() }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      type: one('payBlock'),
      charges: fc.array(fc.record({ batch, device, micros: fc.nat(100), isHeld }), {
        maxLength: 6,
      }),
      shareBps: fc.constantFrom(3_000, 0, 3_333, 10_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: one('payAudit'), device, micros, isHeld }) },
  { weight: 2, arbitrary: fc.record({ type: one('releaseHeld'), device }) },
  { weight: 1, arbitrary: fc.record({ type: one('forfeitHeld'), device }) },
  { weight: 2, arbitrary: fc.record({ type: one('closeBatch'), batch }) },
)

export const happening: fc.Arbitrary<Happening> = fc.record({
  event,
  again: fc.option(fc.nat(50), { freq: 4 }),
})

/** Names of one history's people, apart from those of every other history in the same book. */
export class Cast {
  readonly run: string
  constructor(run: string) {
    this.run = run
  }
  client = (n: number): string => `${this.run}c${n}`
  batch = (n: number): string => `${this.run}b${n}`
  device = (n: number): string => `${this.run}d${n}`
  owner = (n: number): string => `${this.run}o${ownerOf(n)}`

  served(charge: Served) {
    const { batch: b, device: d, ...rest } = charge
    return { ...rest, batch: this.batch(b), device: this.device(d), owner: this.owner(d) }
  }
}

export interface Answer {
  outcome: string
  micros: number
}

/** Asks the ledger; a refusal is an answer too. */
export async function ask(
  ledger: TestLedger,
  cast: Cast,
  given: { id: string; event: Event },
): Promise<Answer> {
  try {
    return await request(ledger, cast, given)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code !== 'MINGA_NO_BUDGET' && code !== 'MINGA_NOT_ENOUGH_MONEY') throw error
    return { outcome: code, micros: 0 }
  }
}

function request(
  ledger: TestLedger,
  cast: Cast,
  { id, event: e }: { id: string; event: Event },
): Promise<Answer> {
  const reference = 'history'
  switch (e.type) {
    case 'topUp':
      return ledger.call('topUp', { id, client: cast.client(e.client), micros: e.micros })
    case 'withdraw':
      return ledger.call('withdraw', {
        id,
        account: `client:${cast.client(e.client)}`,
        micros: e.micros,
      })
    case 'cashOut':
      return ledger.call('withdraw', {
        id,
        account: `volunteer:${cast.owner(e.device)}`,
        micros: e.micros,
      })
    case 'payBlock': {
      const charges = e.charges.map((charge) => cast.served(charge))
      return ledger.call('payBlock', { id, reference, charges, platformShareBps: e.shareBps })
    }
    case 'payAudit': {
      const audits = [cast.served({ ...e, batch: 0 })]
      return ledger.call('payAudit', { id, reference, audits })
    }
    case 'releaseHeld':
      return ledger.call('releaseHeld', {
        id,
        device: cast.device(e.device),
        owner: cast.owner(e.device),
      })
    case 'forfeitHeld':
      return ledger.call('forfeitHeld', { id, device: cast.device(e.device), reason: 'A lie.' })
    default:
      return requestOfBatch(ledger, cast, { id, event: e })
  }
}

type BatchEvent = Extract<Event, { batch: number }>

function requestOfBatch(
  ledger: TestLedger,
  cast: Cast,
  { id, event: e }: { id: string; event: BatchEvent },
): Promise<Answer> {
  const of = { batch: cast.batch(e.batch), client: cast.client(clientOf(e.batch)) }
  const reference = 'history'
  switch (e.type) {
    case 'reserve': {
      const creditLimitMicros = CREDIT_LIMITS[clientOf(e.batch)] ?? null
      return ledger.call('reserve', { id, ...of, micros: e.micros, creditLimitMicros })
    }
    case 'refund':
      return ledger.call('refund', { id, reference, refunds: [{ ...of, micros: e.micros }] })
    case 'cacheHit':
      return ledger.call('payCacheHits', { id, reference, hits: [{ ...of, micros: e.micros }] })
    case 'compensate': {
      const payments = [{ ...of, micros: e.micros, isOpen: e.isOpen }]
      return ledger.call('compensate', { id, reference, payments })
    }
    case 'closeBatch':
      return ledger.call('closeBatch', { id, ...of })
  }
}

interface Sum {
  micros: number
  requests: number
}

const NOTHING: Sum = { micros: 0, requests: 0 }

function plus(a: Sum = NOTHING, b: Sum = NOTHING): Sum {
  return { micros: a.micros + b.micros, requests: a.requests + b.requests }
}

/** The same rules over a map in memory: no ids, no locks, no SQL. */
export class Model {
  readonly balances = new Map<string, Sum>()
  readonly booked = new Set<string>()
  readonly #cast: Cast

  constructor(cast: Cast) {
    this.#cast = cast
  }

  of(account: string): Sum {
    return this.balances.get(account) ?? NOTHING
  }

  apply(id: string, e: Event): string {
    if (this.booked.has(id)) return 'repeated'
    const entries = this.#entries(e)
    if (typeof entries === 'string') return entries
    const sums = new Map<string, Sum>()
    for (const { account, micros: amount, requests = 0 } of entries) {
      sums.set(account, plus(sums.get(account), { micros: amount, requests }))
    }
    for (const [account, sum] of sums) {
      const isOverdrawn = sum.micros < 0 && this.of(account).micros + sum.micros < 0
      if (isOverdrawn && /^(reserve|held|volunteer):/.test(account)) return 'MINGA_NOT_ENOUGH_MONEY'
    }
    for (const [account, sum] of sums) this.balances.set(account, plus(this.of(account), sum))
    const moves = [...sums.values()].some((sum) => sum.micros !== 0 || sum.requests !== 0)
    if (moves) this.booked.add(id)
    return moves ? 'posted' : 'nothing'
  }

  /** A string is a refusal. */
  #entries(e: Event): Entry[] | string {
    const cast = this.#cast
    switch (e.type) {
      case 'topUp':
        return move('outside', `client:${cast.client(e.client)}`, e.micros)
      case 'withdraw':
        return this.#payOut(`client:${cast.client(e.client)}`, e.micros)
      case 'cashOut':
        return this.#payOut(`volunteer:${cast.owner(e.device)}`, e.micros)
      case 'payBlock':
        return blockEntries(
          e.charges.map((charge) => cast.served(charge)),
          e.shareBps,
        )
      case 'payAudit': {
        const held = `held:${cast.device(e.device)}`
        const to = e.isHeld ? held : `volunteer:${cast.owner(e.device)}`
        return [
          { account: 'platform', micros: -e.micros },
          { account: to, micros: e.micros, requests: 1 },
        ]
      }
      case 'releaseHeld':
      case 'forfeitHeld':
        return this.#emptyHeld(e)
      default:
        return this.#entriesOfBatch(e)
    }
  }

  #emptyHeld(e: { type: 'releaseHeld' | 'forfeitHeld'; device: number }): Entry[] {
    const held = `held:${this.#cast.device(e.device)}`
    const { micros: amount, requests } = this.of(held)
    const owner = `volunteer:${this.#cast.owner(e.device)}`
    return [
      { account: held, micros: -amount, requests: -requests },
      e.type === 'releaseHeld'
        ? { account: owner, micros: amount, requests }
        : { account: 'platform', micros: amount },
    ]
  }

  #payOut(account: string, amount: number): Entry[] | string {
    if (amount > 0 && this.of(account).micros < amount) return 'MINGA_NOT_ENOUGH_MONEY'
    return move(account, 'outside', amount)
  }

  #entriesOfBatch(e: BatchEvent): Entry[] | string {
    const reserve = `reserve:${this.#cast.batch(e.batch)}`
    const own = `client:${this.#cast.client(clientOf(e.batch))}`
    switch (e.type) {
      case 'reserve': {
        const limit = CREDIT_LIMITS[clientOf(e.batch)] ?? null
        const falls = e.micros > 0 && limit !== null && this.of(own).micros - e.micros < -limit
        return falls ? 'MINGA_NO_BUDGET' : move(own, reserve, e.micros)
      }
      case 'refund':
        return move(reserve, own, e.micros)
      case 'cacheHit':
        return move(reserve, 'platform', e.micros)
      case 'compensate':
        return move('platform', e.isOpen ? reserve : own, e.micros)
      case 'closeBatch':
        return move(reserve, own, this.of(reserve).micros)
    }
  }
}

const move = (from: string, to: string, amount: number): Entry[] => [
  { account: from, micros: -amount },
  { account: to, micros: amount },
]

/** The clients whose balance may not fall below a line, with that line. */
export function creditLines(cast: Cast): { account: string; floorMicros: number }[] {
  return CREDIT_LIMITS.flatMap((limit, n) =>
    limit === null ? [] : [{ account: `client:${cast.client(n)}`, floorMicros: 0 - limit }],
  )
}

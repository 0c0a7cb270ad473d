/** A station's trust alone: the real store and operations, virtual time, pages made by hand. */
import { after } from 'node:test'
import type { Row, Store } from '@minga/store'
import { ENGINES, type TestEngine } from '../../../store/src/contract-engines.ts'
import type { AuditErrand, AuditOutcome, Overdue } from './audit-work.ts'
import type { Delivery, SentResult } from './choose-audits.ts'
import type { TrustView } from './devices-standing.ts'
import type { LogEntry } from './trust-rows.ts'
import type { PageFacts } from './verdict.ts'

const START = 1_700_000_000_000

export const page = (content: string, more: Partial<PageFacts> = {}): PageFacts => ({
  status: 200,
  digest: content,
  fingerprint: content,
  location: null,
  ...more,
})

export class TestTrust {
  readonly store: Store
  now = START
  #fence = 0

  constructor(store: Store) {
    this.store = store
  }

  /** A device of an owner and a network of its own unless told otherwise. */
  admit(
    device: string,
    more: { owner?: string; network?: string | null; isTrusted?: boolean } = {},
  ): Promise<void> {
    const args = { owner: `${device}'s`, network: `as-${device}`, isTrusted: false, ...more }
    return this.store.call('admitDevice', { device, ...args, now: this.now })
  }

  result(content: string, more: Partial<SentResult> = {}): SentResult {
    this.#fence++
    const hostId = more.hostId ?? this.#fence
    return {
      fence: this.#fence,
      hostId,
      hash: 1,
      collectionId: 1,
      captureId: this.#fence,
      url: `http://host${hostId}.test/page`,
      status: 200,
      page: page(content),
      earlier: null,
      isRobots: false,
      ...more,
    }
  }

  send(device: string, ...results: SentResult[]): Promise<Delivery[]> {
    return this.store.call('chooseAudits', { device, secret: 'secret', results, now: this.now })
  }

  next(device: string, limit = 10): Promise<AuditErrand[]> {
    return this.store.call('nextAuditsFor', { device, limit, now: this.now })
  }

  answer(id: string, device: string, seen: PageFacts | null): Promise<AuditOutcome> {
    return this.store.call('noteAuditResult', { id, device, page: seen, now: this.now })
  }

  /** The device fetches the page of every audit it is given. */
  async work(device: string, seen: PageFacts | null): Promise<AuditOutcome[]> {
    const outcomes: AuditOutcome[] = []
    for (const { id } of await this.next(device)) {
      outcomes.push(await this.answer(id, device, seen))
    }
    return outcomes
  }

  async trust(device: string): Promise<TrustView> {
    return (await this.store.call<TrustView | null>('trustOf', { device }))!
  }

  sweep(): Promise<Overdue[]> {
    return this.store.call('sweepAudits', { now: this.now })
  }

  async actions(device: string): Promise<string[]> {
    const log = await this.store.call<LogEntry[]>('trustLog', { device, limit: 100 })
    return log.map(({ action }) => action).toReversed()
  }

  query<R>(text: string, params: Row = []): Promise<R[]> {
    return this.store.call('query', { text, params })
  }

  /** As if this many audits had agreed. */
  prove(device: string, agreements = 2_000): Promise<number> {
    const text = 'UPDATE device_trust SET agreements = ? WHERE device = ?'
    return this.store.call('change', { text, params: [agreements, device] })
  }
}

const TABLES = ['device_trust', 'audits', 'audit_patterns', 'quarantines', 'trust_log']

/** One database per engine, emptied for every test: a new one takes a second. Opened here and not
 * in a test, whose end would remove it. */
const stores = new Map<TestEngine, Store>()
after(() => Promise.all([...stores.values()].map((store) => store.close())))
for (const engine of ENGINES.filter(({ skip }) => skip === false)) {
  const home = await engine.home()
  const operations = new URL('../contract-operations.ts', import.meta.url).href
  stores.set(engine, await home.openHere({ operations }))
}

export async function openTrust(engine: TestEngine): Promise<TestTrust> {
  const trust = new TestTrust(stores.get(engine)!)
  for (const table of TABLES) {
    await trust.store.call('change', { text: `DELETE FROM ${table}`, params: [] })
  }
  return trust
}

/** A station's trust alone: the real store and operations, virtual time, hand-made pages. */
import { after } from 'node:test'
import type { Row, Store } from '@minga/store'
import { ENGINES, type TestEngine } from '../../../store/test/contract-engines.ts'
import type { AuditRequest, AuditOutcome, Overdue } from '../../src/trust/audit-work.ts'
import type { Delivery, SentResult } from '../../src/trust/choose-audits.ts'
import type { ComplainArgs } from '../../src/trust/complain.ts'
import type { TrustView } from '../../src/trust/devices-standing.ts'
import { isFailure } from '../../src/trust/selection.ts'
import type { PageFacts } from '../../src/trust/verdict.ts'
import type { ContractOperations } from '../contract-operations.ts'
import { queryRows } from '../../../store/test/raw-sql-fixture.ts'

const START = 1_700_000_000_000

export const page = (content: string, more: Partial<PageFacts> = {}): PageFacts => ({
  status: 200,
  digest: content,
  fingerprint: content,
  location: null,
  ...more,
})

export class TestTrust {
  readonly store: Store<ContractOperations>
  now = START
  /** On whom draws of auditors fall; null: as it comes. */
  auditor: string | null = null
  /** The share of agreements that the station's own device checks. */
  recheckShare = 0
  #fence = 0

  constructor(store: Store<ContractOperations>) {
    this.store = store
  }

  /** Admits a device, by default with its own owner and network. */
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
      isFinal: isFailure(more.status ?? 200),
      ...more,
    }
  }

  async send(device: string, ...results: SentResult[]): Promise<Delivery[]> {
    const args = { device, secret: 'secret', results, now: this.now }
    const deliveries = await this.store.call('chooseAudits', args)
    await this.#settleDraws()
    return deliveries
  }

  async #settleDraws(): Promise<void> {
    if (this.auditor === null) return
    const text = `UPDATE audits SET drawn = ? WHERE state = 'wanted' AND out_to IS NULL`
    await this.store.call('change', { text, params: [this.auditor] })
  }

  next(device: string, limit = 10): Promise<AuditRequest[]> {
    return this.store.call('nextAuditsFor', { device, limit, now: this.now })
  }

  answer(id: string, device: string, seen: PageFacts | null): Promise<AuditOutcome> {
    const { recheckShare, now } = this
    return this.store.call('noteAuditResult', { id, device, page: seen, recheckShare, now })
  }

  /** The device fetches the page of every audit it is given. */
  async work(device: string, seen: PageFacts | null): Promise<AuditOutcome[]> {
    const outcomes: AuditOutcome[] = []
    for (const { id } of await this.next(device)) {
      outcomes.push(await this.answer(id, device, seen))
    }
    return outcomes
  }

  /** Of a client who has paid 10 in, or `more` says otherwise. */
  async complain(
    device: string,
    result: SentResult,
    more: Partial<ComplainArgs> = {},
  ): Promise<boolean> {
    const client = more.who ?? 'client'
    const { page: seen, captureId, url, hostId, hash, collectionId } = result
    await this.store.call('topUp', { id: `top-up ${client}`, at: this.now, client, micros: 10 })
    const args: ComplainArgs = {
      id: `aud_${captureId} ${client}`,
      who: client,
      note: 'wrong',
      device,
      url,
      hostId,
      hash,
      collectionId,
      captureId: captureId!,
      page: seen!,
      earlier: null,
      receivedAt: this.now,
      result: `bat_${client} ${captureId}`,
      depositMicros: 3,
      creditLimitMicros: 0,
      perDayMax: null,
      now: this.now,
      ...more,
    }
    const { isNew } = await this.store.call('complain', args)
    await this.#settleDraws()
    return isNew
  }

  async balance(account: string): Promise<number> {
    const [row] = await this.query<{ n: number }>(
      'SELECT balance_micros AS n FROM ledger_balances WHERE account = ?',
      [account],
    )
    return row?.n ?? 0
  }

  async trust(device: string): Promise<TrustView> {
    return (await this.store.call('trustOf', { device }))!
  }

  sweep(): Promise<Overdue[]> {
    return this.store.call('sweepAudits', { now: this.now })
  }

  async actions(device: string): Promise<string[]> {
    const log = await this.store.call('trustLog', { device, limit: 100 })
    return log.map(({ action }) => action).toReversed()
  }

  query<R>(text: string, params: Row = []): Promise<R[]> {
    return queryRows(this.store, text, params)
  }

  /** As if this many audits had agreed. */
  prove(device: string, agreements = 2_000): Promise<number> {
    const text = 'UPDATE device_trust SET agreements = ? WHERE device = ?'
    return this.store.call('change', { text, params: [agreements, device] })
  }
}

const TABLES = [
  'device_trust',
  'audits',
  'audit_patterns',
  'quarantines',
  'trust_log',
  'ledger_entries',
  'ledger_postings',
  'ledger_balances',
]

/** One database per engine, emptied for every test: a new one takes a second. Opened here and not
 * in a test, whose end would remove it. */
const stores = new Map<TestEngine, Store<ContractOperations>>()
after(() => Promise.all([...stores.values()].map((store) => store.close())))
for (const engine of ENGINES.filter(({ skip }) => skip === false)) {
  const home = await engine.home()
  const operations = new URL('../contract-operations.ts', import.meta.url).href
  stores.set(engine, await home.openHere<ContractOperations>({ operations }))
}

export async function openTrust(engine: TestEngine): Promise<TestTrust> {
  const trust = new TestTrust(stores.get(engine)!)
  for (const table of TABLES) {
    await trust.store.call('change', { text: `DELETE FROM ${table}`, params: [] })
  }
  return trust
}

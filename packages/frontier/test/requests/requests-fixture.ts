/** Clients of a station without a network: batches in, blocks out, recounts of what must add up. */
import assert from 'node:assert/strict'
import { leasedRequestsOf, type LeasedRequest, type TestStation } from '../station-fixture.ts'
import type { BatchStatus, NewBatch } from '../../src/requests/batches.ts'
import type { EndedRequest } from '../../src/requests/end-requests.ts'
import type { RequestResult } from '../../src/requests/results.ts'

export interface Submission extends Partial<NewBatch> {
  urls: string[]
  refused?: Record<string, string>
}

/** Over all stations of a test: some tests use one station for many histories. */
let submitted = 0

export class TestClients {
  readonly station: TestStation

  constructor(station: TestStation) {
    this.station = station
  }

  async submit({ urls, refused = {}, ...more }: Submission): Promise<string> {
    const id = `bat_${++submitted}`
    const { store, now } = this.station
    const opened = await store.call('openBatch', {
      id,
      client: 'client',
      idempotencyKey: null,
      fingerprint: urls.join(' '),
      total: urls.length,
      priority: 2,
      maxAgeMs: 0,
      webhook: null,
      terms: '',
      now,
      ...more,
    })
    await this.add(opened.id, urls, refused)
    await store.call('sealBatch', { id: opened.id, now })
    return opened.id
  }

  add(batchId: string, urls: string[], refused: Record<string, string> = {}): Promise<unknown> {
    const requests = urls.map((url, seq) => {
      const code = refused[url]
      return { seq, asked: url, url, refusal: code === undefined ? null : { code } }
    })
    const { store, now } = this.station
    return store.call('addRequests', { batchId, requests, delayMs: 1_000, now })
  }

  cancel(id: string): Promise<{ ended: EndedRequest[]; left: number }> {
    return this.station.store.call('cancelBatch', { id, now: this.station.now })
  }

  status(id: string, client: string | null = null): Promise<BatchStatus> {
    return this.station.store.call('batchStatus', { id, client })
  }

  results(batchId: string, after = 0): Promise<RequestResult[]> {
    return this.station.store.call('listResults', { batchId, after, limit: 1_000 })
  }

  /** Leases as an agent does, once the hosts' clocks allow it. */
  async lease(boot = 'boot'): Promise<LeasedRequest[]> {
    this.station.now += 5_000
    await this.station.beat(boot)
    return leasedRequestsOf((await this.station.lease(boot)).block)
  }

  /** No request waits for a URL that has ended, and every count equals a recount. */
  async assertSound(): Promise<void> {
    const lost = await this.station.query(
      `SELECT r.batch_id, r.url FROM requests r LEFT JOIN urls u
         ON u.host_id = r.host_id AND u.hash = r.hash AND u.outcome IS NULL AND u.url = r.url
       WHERE r.outcome IS NULL AND u.url IS NULL`,
    )
    assert.deepEqual(lost, [], 'a request waits for a URL that will never be fetched')
    const batches = await this.station.query<Record<string, number>>(
      `SELECT b.*,
         (SELECT COUNT(*) FROM requests r WHERE r.batch_id = b.id AND r.outcome IS NULL)
           + b.total - b.received AS is_open,
         (SELECT COUNT(*) FROM requests r WHERE r.batch_id = b.id AND r.outcome = 'captured') AS is_captured,
         (SELECT COUNT(*) FROM requests r WHERE r.batch_id = b.id AND r.outcome = 'failed') AS is_failed,
         (SELECT COUNT(*) FROM requests r WHERE r.batch_id = b.id AND r.outcome = 'denied') AS is_denied,
         (SELECT COUNT(*) FROM requests r WHERE r.batch_id = b.id AND r.outcome = 'cancelled') AS is_cancelled,
         (SELECT COUNT(DISTINCT ended_no) FROM requests r WHERE r.batch_id = b.id) AS numbers
       FROM batches b`,
    )
    for (const batch of batches) {
      for (const name of ['open', 'captured', 'failed', 'denied', 'cancelled']) {
        assert.equal(batch[name], batch[`is_${name}`], `${name} of ${String(batch['id'])}`)
      }
      assert.equal(batch['numbers'], batch['ended_no'], 'results are numbered without a gap')
    }
    await this.#assertClients()
    await this.#assertQueue()
  }

  async #assertClients(): Promise<void> {
    const clients = await this.station.query<{ open: number; is_open: number }>(
      `SELECT c.open, (SELECT COALESCE(SUM(b.open), 0) FROM batches b WHERE b.client = c.client) AS is_open
       FROM clients c`,
    )
    for (const { open, is_open: isOpen } of clients) assert.equal(open, isOpen)
  }

  async #assertQueue(): Promise<void> {
    const [queue] = await this.station.query<{ queued: number; is_queued: number }>(
      `SELECT c.queued, (SELECT COUNT(*) FROM urls u WHERE u.collection_id = c.id AND u.outcome IS NULL) AS is_queued
       FROM collections c WHERE c.identity = 'requests'`,
    )
    if (queue) assert.equal(queue.queued, queue.is_queued)
  }
}

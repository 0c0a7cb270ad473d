/** Recounts everything that the frontier keeps as a number, from the rows that the number is about. */
import assert from 'node:assert/strict'
import type { TestStation } from './station-fixture.ts'

interface Counted {
  id: number
  found: number
  queued: number
  leased: number
  pages: number
  captures: number
  failed: number
  denied: number
  cancelled: number
}

export async function assertCountsAddUp(station: TestStation): Promise<void> {
  await assertCollections(station)
  await assertHosts(station)
  await assertLeases(station)
}

async function assertCollections(station: TestStation): Promise<void> {
  const kept = await station.query<Counted>(
    `SELECT id, found, queued, leased, pages, captures, failed, denied, cancelled
     FROM collections ORDER BY id`,
  )
  const leases = await station.query<{ collection_id: number; items: string }>(
    'SELECT collection_id, items FROM host_leases',
  )
  for (const collection of kept) {
    const { id } = collection
    const outcomes = await station.query<{ outcome: string | null; n: number }>(
      // What another station has ('elsewhere') counts there.
      `SELECT outcome, COUNT(*) AS n FROM urls
       WHERE collection_id = ? AND (outcome IS NULL OR outcome <> 'elsewhere') GROUP BY outcome`,
      [id],
    )
    const of = (outcome: string | null): number =>
      outcomes.find((row) => row.outcome === outcome)?.n ?? 0
    const out = leases.filter((lease) => lease.collection_id === id)
    const [captures] = await station.query<{ n: number }>(
      'SELECT COUNT(*) AS n FROM captures WHERE collection_id = ?',
      [id],
    )
    const [pages] = await station.query<{ n: number }>(
      `SELECT COUNT(*) AS n FROM urls WHERE collection_id = ? AND outcome = 'captured'
       AND status BETWEEN 200 AND 299 AND kind <> 'robots'`,
      [id],
    )
    const recounted: Counted = {
      id,
      found: outcomes.reduce((sum, { n }) => sum + n, 0),
      queued: of(null),
      leased: out.reduce((sum, { items }) => sum + (JSON.parse(items) as number[]).length, 0),
      pages: pages!.n,
      captures: captures!.n,
      failed: of('failed'),
      denied: of('denied'),
      cancelled: of('cancelled'),
    }
    assert.deepEqual({ ...collection }, recounted)
    await assertErrors(station, recounted)
  }
}

async function assertErrors(station: TestStation, { id, failed, denied }: Counted): Promise<void> {
  const [errors] = await station.query<{ n: number | null }>(
    'SELECT SUM(count) AS n FROM collection_errors WHERE collection_id = ?',
    [id],
  )
  assert.equal(errors?.n ?? 0, failed + denied, 'errors by kind add up to failed and denied')
}

async function assertHosts(station: TestStation): Promise<void> {
  const wrong = await station.query(
    `SELECT c.collection_id, c.host_id, c.queued, c.found, COUNT(u.hash) AS urls
     FROM collection_hosts c LEFT JOIN urls u
       ON u.collection_id = c.collection_id AND u.host_id = c.host_id
         AND (u.outcome IS NULL OR u.outcome <> 'elsewhere')
     GROUP BY c.collection_id, c.host_id, c.queued, c.found
     HAVING c.found <> COUNT(u.hash)
       OR c.queued <> SUM(CASE WHEN u.hash IS NOT NULL AND u.outcome IS NULL THEN 1 ELSE 0 END)`,
  )
  assert.deepEqual(wrong, [], 'a host has as many URLs as it says')
}

async function assertLeases(station: TestStation): Promise<void> {
  const fences = await station.query(
    `SELECT h.id, h.fence, l.fence AS held FROM hosts h LEFT JOIN host_leases l ON l.host_id = h.id
     WHERE h.fence <> COALESCE(l.fence, 0)`,
  )
  assert.deepEqual(fences, [], 'a host is out exactly when a lease holds it')
  const groups = await station.query(
    `SELECT g.address, g.in_flight, COUNT(l.host_id) AS held FROM address_groups g
     LEFT JOIN host_leases l ON l.address = g.address GROUP BY g.address, g.in_flight
     HAVING g.in_flight <> COUNT(l.host_id)`,
  )
  assert.deepEqual(groups, [], 'an address has as many hosts out as it says')
  const crowded = await station.query(
    'SELECT address FROM address_groups WHERE domains <= 50 AND in_flight > 1',
  )
  assert.deepEqual(crowded, [], 'two hosts of one address are never out together')
  const empty = await station.query(
    `SELECT fence FROM leases WHERE fence NOT IN (SELECT fence FROM host_leases)`,
  )
  assert.deepEqual(empty, [], 'a lease is over when its last host came back')
  const orphans = await station.query(
    `SELECT fence FROM host_leases WHERE fence NOT IN (SELECT fence FROM leases)`,
  )
  assert.deepEqual(orphans, [], 'every host that is out belongs to a lease')
}

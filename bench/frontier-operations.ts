/**
 * The coordinator's own operations, as they are, and one more that spares the benchmark what an
 * agent does first: hosts get an address and a robots.txt that allows everything. Loaded by the
 * store's thread.
 */
import { discover, hello, hostIdsOf, lease, openCollection } from '@minga/frontier'
import type { Operations } from '@minga/coordinator'
import type { BlobSeries, OperationTable, Sql } from '@minga/store'

interface OperationsModule {
  operations: Operations
  blobSeries: Record<string, BlobSeries>
}

// By address: a program's operations are no part of what its package offers to others.
const address = new URL('../apps/coordinator/src/operations.ts', import.meta.url).href
const coordinator = (await import(address)) as OperationsModule

const FOR_EVER = Number.MAX_SAFE_INTEGER

/** Every host gets a machine of its own, so that address groups hold nothing back. */
async function benchPrepare(sql: Sql, args: { names: string[] }): Promise<void> {
  const ids = [...(await hostIdsOf(sql, args.names)).values()]
  const hosts = ids.map((id) => ({ id, address: `10.${id >> 16}.${(id >> 8) & 255}.${id & 255}` }))
  await sql.updateMany({
    table: 'hosts',
    keys: ['id'],
    set: ['address', 'address_until'],
    rows: hosts.map((host) => [host.id, host.address, FOR_EVER]),
  })
  await sql.insertMany({
    table: 'address_groups',
    columns: ['address', 'domains'],
    rows: hosts.map((host) => [host.address, 1]),
    onConflict: 'ignore',
  })
  await sql.insertMany({
    table: 'robots',
    columns: ['host_id', 'scheme', 'verdict', 'fetched_at', 'expires_at'],
    rows: ids.map((id) => [id, 'https', 'allow-all', 0, FOR_EVER]),
    onConflict: 'ignore',
  })
}

export const operations = {
  ...coordinator.operations,
  benchPrepare,
  discover,
  hello,
  lease,
  openCollection,
} satisfies OperationTable

export type FrontierBenchOperations = typeof operations

export const blobSeries = coordinator.blobSeries

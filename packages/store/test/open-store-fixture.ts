/**
 * A store without a thread of its own, otherwise the same to the last message. For tests: they open
 * hundreds, and each new thread loads all programs again, which takes longer than most of them.
 */
import { MessageChannel } from 'node:worker_threads'
import { StoreClient, type StoreOptions } from '../src/open-store.ts'
import type { PostgresConnections } from '../src/postgres-engine.ts'
import { loadOperations, serveStore } from '../src/serve-store.ts'
import type { OperationTable, Store } from '../src/sql.ts'

export async function openStoreHere<Ops extends OperationTable>(
  { operations, ...options }: StoreOptions,
  connections?: PostgresConnections,
): Promise<Store<Ops>> {
  const { port1, port2 } = new MessageChannel()
  const store = new StoreClient<Ops>(port1, 'close')
  void serveStore(port2, options, loadOperations(operations), connections)
  await store.opened
  return store
}

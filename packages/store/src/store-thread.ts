/**
 * The store's thread. It alone touches the database and the files, so that a commit never stops the
 * rest of the program and nothing else stops a commit.
 */
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import type { OpenOptions } from './messages.ts'
import { loadOperations, serveStore } from './serve-store.ts'

if (parentPort) {
  const operations = loadOperations(workerData as string)
  // An error in them is reported to the caller of open.
  operations.catch(() => {})
  const [options] = (await once(parentPort, 'message')) as [OpenOptions]
  // Between two listeners nothing else would keep the thread alive.
  parentPort.ref()
  await serveStore(parentPort, options, operations)
}

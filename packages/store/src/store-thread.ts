/**
 * The store's thread. It alone touches the database and the files, so that a commit never stops the
 * rest of the program and nothing else stops a commit.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { ThreadOptions } from './calls.ts'
import { serveStore } from './serve-store.ts'

if (parentPort) await serveStore(parentPort, workerData as ThreadOptions)

/** The comparing thread: two bodies in, their difference out. See compare-bodies.ts for the other end. */
import { diffPages, type PageBody } from '@minga/forecast'
import { parentPort, workerData } from 'node:worker_threads'

const { before, after } = workerData as { before: PageBody; after: PageBody }
parentPort?.postMessage(diffPages(before, after, { selectors: { include: [], exclude: [] } }))

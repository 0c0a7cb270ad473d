/** The comparing thread: two bodies in, their difference out. See compare-bodies.ts for the other end. */
import { diffPages } from '@minga/forecast'
import { parentPort, workerData } from 'node:worker_threads'
import type { Compared } from './compare-bodies.ts'

const { before, after, options } = workerData as Compared
parentPort?.postMessage(diffPages(before, after, options))

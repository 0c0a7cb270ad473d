/** The recording thread's program. */
import { parentPort, workerData } from 'node:worker_threads'
import type { RecorderData } from './recorder.ts'
import { restrictWorkers } from '../sandbox/restrict-workers.ts'
import { serveRecorder } from './serve-recorder.ts'

restrictWorkers()
if (parentPort) serveRecorder(parentPort, workerData as RecorderData)

/** The recording thread's program. */
import { parentPort, workerData } from 'node:worker_threads'
import type { RecorderData } from './recorder.ts'
import { serveRecorder } from './serve-recorder.ts'

if (parentPort) serveRecorder(parentPort, workerData as RecorderData)

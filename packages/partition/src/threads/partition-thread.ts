/** One thread of a partition: does its starts in order and posts all parts at the end. */
import { parentPort, workerData } from 'node:worker_threads'
import { runStart } from '../partition.ts'
import type { ThreadTask } from './partition-in-threads.ts'

const { level, starts } = workerData as ThreadTask
parentPort!.postMessage(starts.map((start) => runStart(level, start, () => {})))

/**
 * The independent starts of a partition, shared out among threads. The graph lies in shared memory and is
 * copied once, not once per thread. Chance is drawn per start and not per thread: the parts are
 * the same for any number of threads, and the same as without.
 */
import { Worker } from 'node:worker_threads'
import type { Graph, Weights } from '../graph/graph.ts'
import type { Level } from '../level.ts'
import {
  finish,
  levelOf,
  partition,
  startsOf,
  type Partition,
  type PartitionOptions,
  type Start,
} from '../partition.ts'

/** What a thread is given: which of the starts are its own. */
export interface ThreadTask {
  level: Level
  starts: Start[]
}

const THREAD = new URL('./partition-thread.ts', import.meta.url)

export async function partitionInThreads(
  graph: Graph,
  options: PartitionOptions,
  threads: number,
): Promise<Partition> {
  const level = levelOf(graph, options)
  const starts = startsOf(level, options)
  const workers = Math.min(threads, starts.length)
  if (workers < 2) return partition(graph, options)
  const shared = sharedLevel(level)
  const shares = Array.from({ length: workers }, (_, w) =>
    starts.filter((_start, i) => i % workers === w),
  )
  const found = await Promise.all(shares.map((own) => runThread({ level: shared, starts: own })))
  const inOrder = starts.map((_, i) => found[i % workers]![Math.floor(i / workers)]!)
  return finish(level, inOrder, options)
}

function runThread(task: ThreadTask): Promise<Int32Array[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(THREAD, { workerData: task })
    worker.once('message', (parts: Int32Array[]) => {
      resolve(parts)
    })
    worker.once('error', reject)
  })
}

function sharedLevel(level: Level): Level {
  const { graph } = level
  return {
    ...level,
    graph: {
      ...graph,
      starts: sharedInts(graph.starts),
      heads: sharedInts(graph.heads),
      edgeWeights: sharedWeights(graph.edgeWeights),
      vertexWeights: sharedWeights(graph.vertexWeights),
    },
    costs: level.costs === null ? null : sharedDoubles(level.costs),
  }
}

function sharedWeights(values: Weights): Weights {
  return values instanceof Int32Array ? sharedInts(values) : sharedDoubles(values)
}

function sharedInts(values: Int32Array): Int32Array {
  const copy = new Int32Array(new SharedArrayBuffer(values.byteLength))
  copy.set(values)
  return copy
}

function sharedDoubles(values: Float64Array): Float64Array {
  const copy = new Float64Array(new SharedArrayBuffer(values.byteLength))
  copy.set(values)
  return copy
}

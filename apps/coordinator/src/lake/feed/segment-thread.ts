/** The thread in which segments are written: neither the station's loop nor the store waits for it. */
import { stat } from 'node:fs/promises'
import { parentPort } from 'node:worker_threads'
import { siftRows, writeRows, type SiftJob, type WriteJob } from './segment-work.ts'

type Job = WriteJob | SiftJob

const LIMITS = { memory_limit: '512MB', threads: '1' }

async function run(job: Job): Promise<unknown> {
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:', LIMITS)
  const connection = await instance.connect()
  try {
    await connection.run(`SET TimeZone = 'UTC'`)
    if (job.job === 'sift') return await siftRows(connection, job)
    const rows = await writeRows(connection, job)
    return { rows, bytes: (await stat(job.path)).size }
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

parentPort!.on('message', (job: Job) => {
  run(job).then(
    (answer) => parentPort!.postMessage({ answer }),
    (error: unknown) => parentPort!.postMessage({ problem: String(error) }),
  )
})

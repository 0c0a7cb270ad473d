/** The station as a worker sees it, over HTTP; also for workers on the station's own machine. */
import { postJson, type StationAddress } from './station-calls.ts'
import type { CommitAnswer, WorkerStation } from './station.ts'

export interface WorkerIdentity {
  /** A name for people. */
  worker: string
  /** New with every start of the process. */
  boot: string
  /** DuckDB's version: a query stays with one. */
  engine: string
  /** For people who view the station. */
  about?: { machine: string; pid: number; memoryMb: number; version?: string }
}

/** Beyond the wait itself: a call that takes longer is lost. */
const CALL_MS = 30_000

export function httpStation(address: StationAddress, who: WorkerIdentity): WorkerStation {
  const { worker, boot } = who
  const post = <R>(
    call: string,
    body: object,
    signal: AbortSignal,
    limitMs = CALL_MS,
  ): Promise<R> =>
    postJson<R>(address, `/worker/${call}`, {
      body: { worker, boot, ...body },
      signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
    })
  return {
    lease: (waitMs, signal) =>
      post('lease', { engine: who.engine, about: who.about, waitMs }, signal, CALL_MS + waitMs),
    commit: async (lease, done, signal) =>
      (await post<{ answer: CommitAnswer }>('commit', { ...lease, done }, signal)).answer,
    fail: (lease, error, signal) => post('fail', { ...lease, error }, signal),
    giveBack: (lease, signal) => post('return', lease, signal),
  }
}

/** A store that simulates, for tests: runs one after the other, each on an empty database. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { openStore, type Store } from '@minga/store'
import { thesisFleet } from './experiments.ts'
import type { Run, RunResult } from './run.ts'
import type { SimulatorOperations } from './fleet-operations.ts'

let opened: { store: Store<SimulatorOperations>; folder: string } | undefined

after(async () => {
  await opened?.store.close()
  if (opened) await rm(opened.folder, { recursive: true })
})

async function openSimulator(): Promise<Store<SimulatorOperations>> {
  if (opened) return opened.store
  const folder = await mkdtemp(join(tmpdir(), 'minga-simulator-'))
  const operations = new URL('./fleet-operations.ts', import.meta.url).href
  opened = {
    store: await openStore<SimulatorOperations>({ data: folder, operations, writer: 'test' }),
    folder,
  }
  return opened.store
}

const USUAL: Run = {
  dataSet: 'D2',
  urls: 100,
  seed: 1,
  machines: thesisFleet(2),
  isDirect: false,
  strategy: 'least-busy',
  mode: 'concurrent',
  perAgentDelay: false,
}

export async function simulated(changes: Partial<Run>): Promise<RunResult> {
  return (await openSimulator()).call('simulate', { ...USUAL, ...changes })
}

/** The same run with several seeds. */
export async function repeated(changes: Partial<Run>, seeds: number): Promise<RunResult[]> {
  const results: RunResult[] = []
  for (let seed = 1; seed <= seeds; seed++) results.push(await simulated({ ...changes, seed }))
  return results
}

/** Of the time until all is done. */
export function meanTime(results: readonly RunResult[]): number {
  return results.reduce((sum, { makespanS }) => sum + makespanS, 0) / results.length
}

/** Of the time until 95 % is done. */
export function meanTimeOfMost(results: readonly RunResult[]): number {
  return results.reduce((sum, { mostS }) => sum + mostS, 0) / results.length
}

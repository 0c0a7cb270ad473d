/**
 * Runs a scenario: every cell with every seed, on as many stores as there are cores. A run's result
 * depends on nothing but the run, so their order does not matter.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store } from '@minga/store'
import { cellsOf } from './experiments.ts'
import { reportOf, type FleetReport, type Measured } from './fleet-report.ts'
import type { Run, RunResult } from './run.ts'
import type { Scenario } from './scenario.ts'
import type { SimulatorOperations } from './fleet-operations.ts'

export type Progress = (done: number, total: number) => void

export async function simulateFleet(
  scenario: Scenario,
  onProgress: Progress = () => {},
): Promise<FleetReport> {
  const measured: Measured[] = cellsOf(scenario).map((cell) => ({ cell, results: [] }))
  const jobs = measured.flatMap(({ cell, results }) =>
    scenario.seeds.map((seed, i) => ({ run: { ...cell.run, seed }, results, i })),
  )
  const total = jobs.length
  let done = 0
  await withStores(Math.min(availableParallelism(), total), async (store) => {
    for (let job = jobs.shift(); job; job = jobs.shift()) {
      job.results[job.i] = await simulateOne(store, job.run)
      done++
      onProgress(done, total)
    }
  })
  return reportOf(scenario, measured)
}

function simulateOne(store: Store<SimulatorOperations>, run: Run): Promise<RunResult> {
  return store.call('simulate', run)
}

/** Does the same work in parallel on that many new stores, and removes them. */
async function withStores(
  count: number,
  work: (store: Store<SimulatorOperations>) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'minga-simulate-'))
  const operations = new URL('./fleet-operations.ts', import.meta.url).href
  const opened: Promise<Store<SimulatorOperations>>[] = []
  try {
    for (let i = 0; i < count; i++) {
      opened.push(
        openStore<SimulatorOperations>({
          data: join(folder, String(i)),
          operations,
          writer: 'simulate',
        }),
      )
    }
    await Promise.all(opened.map(async (store) => work(await store)))
  } finally {
    for (const store of await Promise.allSettled(opened)) {
      if (store.status === 'fulfilled') await store.value.close()
    }
    await rm(folder, { recursive: true, force: true })
  }
}

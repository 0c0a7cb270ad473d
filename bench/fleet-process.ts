/** Programs of this benchmark that run next to the coordinator: an order in, a report out. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProcess, type Child } from '@minga/testkit'
import type { AgentsOrder, DirectOrder, DirectReport } from './fleet-orders.ts'

/** Ten thousand devices enrol, or a hundred thousand pages are recorded, on a busy machine. */
const READY_MS = 600_000
const REPORT_MS = 60_000
const DIRECT_MS = 600_000

export interface PretendedAgents<Report> {
  /** Ends them. */
  report(): Promise<Report>
  stop(): void
}

export async function startAgents<Report>(order: AgentsOrder): Promise<PretendedAgents<Report>> {
  const { child, stop } = await startWith('fleet-agents-main.ts', order)
  try {
    const [said] = await child.waitOutput(/ready|Error.*/, READY_MS)
    if (said !== 'ready') throw new Error(`The pretended agents failed: ${child.stderr()}`)
  } catch (error) {
    stop()
    throw error
  }
  const report = async (): Promise<Report> => {
    child.closeStdin()
    return lastLine<Report>(child, REPORT_MS)
  }
  return { report, stop }
}

export async function fetchDirectly(order: DirectOrder): Promise<DirectReport> {
  const { child, stop } = await startWith('fleet-direct-main.ts', order)
  try {
    return await lastLine<DirectReport>(child, DIRECT_MS)
  } finally {
    stop()
  }
}

/** By a file: a list of addresses is too long for a command line. */
async function startWith(
  program: string,
  order: AgentsOrder | DirectOrder,
): Promise<{ child: Child; stop: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'minga-bench-order-'))
  const file = join(folder, 'order.json')
  writeFileSync(file, JSON.stringify(order))
  const main = fileURLToPath(new URL(program, import.meta.url))
  const child = await startProcess(process.execPath, [main, file])
  const stop = (): void => {
    child.killTree()
    rmSync(folder, { recursive: true, force: true })
  }
  return { child, stop }
}

async function lastLine<Report>(child: Child, timeoutMs: number): Promise<Report> {
  const { code } = await child.waitExit(timeoutMs)
  if (code !== 0) throw new Error(`It ended with code ${code}: ${child.stderr()}`)
  return JSON.parse(child.stdout().trimEnd().split('\n').at(-1) ?? '') as Report
}

/** A PostgreSQL for one measurement. */
import { fileURLToPath } from 'node:url'
import { startProcess } from '@minga/testkit'

const POSTGRES_START_MS = 60_000

/** As a program of its own: scripts stand above benchmarks and are not imported by them. */
export async function startPostgres(): Promise<{ url: string; stop: () => Promise<void> }> {
  const script = fileURLToPath(new URL('../scripts/postgres.ts', import.meta.url))
  const child = await startProcess(process.execPath, [script])
  const [url] = await child.waitOutput(/postgresql:\S+/, POSTGRES_START_MS)
  const stop = async (): Promise<void> => {
    child.signal('SIGTERM')
    await child.waitExit(POSTGRES_START_MS)
    child.killTree()
  }
  return { url, stop }
}

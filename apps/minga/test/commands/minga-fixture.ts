/** The command line as a process, for tests of what it prints and how it ends. */
import { execFile } from 'node:child_process'
import path from 'node:path'

export const MINGA = path.resolve(import.meta.dirname, '../../bin/minga.mjs')

export interface Ended {
  code: number
  out: string
  err: string
}

const PATIENCE_MS = 60_000

export function runMinga(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ended> {
  const options = { timeout: PATIENCE_MS, env: { ...process.env, ...env } }
  return new Promise((resolve) => {
    execFile(process.execPath, [MINGA, ...args], options, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), out, err })
    })
  })
}

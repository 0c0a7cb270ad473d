/** The real command line as a process, with its output as bytes. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export const MINGA = fileURLToPath(new URL('../../apps/minga/bin/minga.mjs', import.meta.url))

export interface Ended {
  code: number | null
  stdout: Buffer
  stderr: string
}

/** No command of these tests takes a tenth of it; a hanging one must not hang the tests. */
const PATIENCE_MS = 120_000

export function startMinga(...args: string[]): ChildProcess {
  return spawn(process.execPath, [MINGA, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE_MS,
  })
}

export async function runMinga(...args: string[]): Promise<Ended> {
  const child = startMinga(...args)
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() }
}

/** For commands that must succeed: their standard output. */
export async function mingaOutput(...args: string[]): Promise<string> {
  const ended = await runMinga(...args)
  if (ended.code !== 0) throw new Error(`minga ${args.join(' ')} → ${ended.code}\n${ended.stderr}`)
  return ended.stdout.toString()
}

export interface ListedCapture {
  url: string
  timestamp: string
  status: number
  mime: string
  digest: string
  file: string
  offset: number
  length: number
}

export async function listCaptures(data: string, ...args: string[]): Promise<ListedCapture[]> {
  const lines = await mingaOutput('archive', 'list', ...args, '--jsonl', '--data', data)
  const rows = lines.split('\n').filter(Boolean)
  return rows.map((line) => JSON.parse(line) as ListedCapture)
}

/**
 * How small others make the whole dump. Only sizes count, so the two run side by side; they take minutes, so what
 * they gave is kept by the dump's digest.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { isHere } from './wiki-peers.ts'
import type { BenchDump } from './wiki-dump.ts'

const FOLDER = new URL('../node_modules/.cache/bench-wiki/', import.meta.url)

const PACKERS: Readonly<Record<string, readonly string[]>> = {
  'zstd -19 --long=27': ['zstd', '-19', '--long=27', '--single-thread', '-qc'],
  'xz -9': ['xz', '-9', '-T1', '-c'],
}

/** Bytes by the packer's name, in the order of the table. */
export async function packedSizes(dump: BenchDump): Promise<Map<string, number>> {
  const sizes = await Promise.all(
    Object.entries(PACKERS)
      .filter(([, [program = '']]) => isHere(program))
      .map(async ([name, command]) => [name, await sizeOnce(dump, name, command)] as const),
  )
  return new Map(sizes)
}

async function sizeOnce(
  dump: BenchDump,
  name: string,
  command: readonly string[],
): Promise<number> {
  const kept = new URL(`${dump.digest.slice(0, 32)}-${command.join('').replace(/\W/g, '')}`, FOLDER)
  const known = readKept(kept)
  if (known !== null) return known
  const startedMs = performance.now()
  const bytes = await sizeOf([...command, dump.path])
  console.error(`${name}: ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`)
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(kept, `${bytes}\n`)
  return bytes
}

function readKept(file: URL): number | null {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return null // Not measured yet.
  }
}

async function sizeOf([program = '', ...args]: readonly string[]): Promise<number> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit') as Promise<[number | null]>
  let bytes = 0
  for await (const chunk of child.stdout) bytes += (chunk as Buffer).length
  const [code] = await exited
  if (code !== 0) throw new Error(`${program} ended with code ${code}.`)
  return bytes
}

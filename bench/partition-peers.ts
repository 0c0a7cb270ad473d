/** Who is compared, and the options with which each does the same: k parts within 3 %, partitioning time alone. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface Task {
  /** The graph as METIS and as Scotch read it. */
  metisFile: string
  scotchFile: string
  k: number
  seed: number
  /** Where the parts are to be written. */
  out: string
}

export interface Timed {
  parts: Int32Array
  /** Processor time of the thread that partitions, reading and writing apart. */
  cpuSeconds: number
  peakMb: number
}

export interface Partitioner {
  name: string
  /** Why it cannot take part, or null. */
  prepare(): string | null
  run(task: Task): Timed
  /** Without chance one run says all. */
  isSeeded: boolean
}

/** A peer that takes longer has no figures. */
const TIMEOUT_MS = 600_000
const INSTALL_TIMEOUT_MS = 300_000

function minga(preset: string): Partitioner {
  const program = fileURLToPath(new URL('partition-main.ts', import.meta.url))
  return {
    name: `Minga ${preset}`,
    isSeeded: true,
    prepare: () => null,
    run: ({ metisFile, k, seed, out }) => {
      const args = [
        '--max-old-space-size=8192',
        program,
        metisFile,
        String(k),
        preset,
        String(seed),
        out,
      ]
      const { cpuSeconds, peakMb } = JSON.parse(outputOf(process.execPath, args)) as Omit<
        Timed,
        'parts'
      >
      return { parts: partsOf(out), cpuSeconds, peakMb }
    },
  }
}

const GPMETIS = '/usr/bin/gpmetis'

const metis: Partitioner = {
  name: 'gpmetis',
  isSeeded: true,
  prepare: () => (existsSync(GPMETIS) ? null : installDebian('metis')),
  run: ({ metisFile, k, seed }) => {
    const text = outputOf(GPMETIS, [`-seed=${seed}`, '-ufactor=30', metisFile, String(k)])
    const cpuSeconds = Number(/Partitioning:\s+([\d.]+) sec/.exec(text)?.[1])
    const peakMb = Number(/Max memory used:\s+([\d.]+) MB/.exec(text)?.[1])
    return { parts: partsOf(`${metisFile}.part.${k}`), cpuSeconds, peakMb }
  },
}

const GPART = '/usr/bin/scotch_gpart'

const scotch: Partitioner = {
  name: 'scotch_gpart',
  isSeeded: false,
  prepare: () => (existsSync(GPART) ? null : installDebian('scotch')),
  run: ({ scotchFile, k, out }) => {
    const text = outputOf(GPART, ['-b0.03', '-vt', String(k), scotchFile, out])
    const cpuSeconds = Number(/Mapping\s+([\d.e+-]+)/.exec(text)?.[1])
    return { parts: mappingOf(out), cpuSeconds, peakMb: Number.NaN }
  },
}

export class TooSlow extends Error {}

export const PARTITIONERS: readonly Partitioner[] = [
  metis,
  scotch,
  minga('fast'),
  minga('default'),
  minga('strong'),
]

function partsOf(file: string): Int32Array {
  return Int32Array.from(readFileSync(file, 'utf8').trimEnd().split('\n'), Number)
}

/** Scotch writes a count and then `vertex part` in any order. */
function mappingOf(file: string): Int32Array {
  const [count = '0', ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n')
  const parts = new Int32Array(Number(count))
  for (const line of lines) {
    const [vertex = '0', part = '0'] = line.split('\t')
    parts[Number(vertex)] = Number(part)
  }
  return parts
}

function outputOf(program: string, args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    maxBuffer: 1 << 28,
  })
  if (error !== undefined && 'code' in error && error.code === 'ETIMEDOUT') throw new TooSlow()
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr}`)
  return stdout
}

function installDebian(name: string): string | null {
  const missing = `not installed; as root: apt-get install ${name}`
  if (process.getuid?.() !== 0) return missing
  return attempt('apt-get', ['install', '-y', '--no-install-recommends', name]) ? null : missing
}

function attempt(program: string, args: string[]): boolean {
  return spawnSync(program, args, { timeout: INSTALL_TIMEOUT_MS }).status === 0
}

/**
 * Where the processor's time went: reads the `.cpuprofile` files of a folder, as `node --cpu-prof`
 * writes them, and prints for each process or thread the functions with the most time of their own.
 *   node bench/profile-summary.ts FOLDER [TOP]
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

interface ProfileNode {
  id: number
  callFrame: { functionName: string; url: string; lineNumber: number }
}

interface Profile {
  nodes: ProfileNode[]
  samples: number[]
  /** Microseconds since the sample before. */
  timeDeltas: number[]
}

interface Cost {
  name: string
  ms: number
}

const MICROSECONDS_PER_MS = 1000
const WAITING = new Set(['(idle)', '(program)'])

export function summarise(profile: Profile, top: number): { busyMs: number; costs: Cost[] } {
  const names = new Map(profile.nodes.map((node) => [node.id, nameOf(node)]))
  const spent = new Map<string, number>()
  for (const [i, id] of profile.samples.entries()) {
    const name = names.get(id) ?? '?'
    spent.set(name, (spent.get(name) ?? 0) + (profile.timeDeltas[i] ?? 0) / MICROSECONDS_PER_MS)
  }
  const costs = [...spent].map(([name, ms]) => ({ name, ms })).toSorted((a, b) => b.ms - a.ms)
  const busyMs = costs.reduce((sum, { name, ms }) => sum + (name === '(idle)' ? 0 : ms), 0)
  return { busyMs, costs: costs.filter(({ name }) => name !== '(idle)').slice(0, top) }
}

function nameOf({ callFrame }: ProfileNode): string {
  const { functionName, url, lineNumber } = callFrame
  if (url === '') return functionName
  const file = url
    .replace(/^.*\/node_modules\//, '')
    .replace(/^file:\/\/.*\/(packages|apps)\//, '$1/')
  return `${functionName || '(anonymous)'} ${file}:${lineNumber + 1}`
}

/** The likeliest program of a profile: the module of ours whose name says what it is. */
function roleOf(profile: Profile): string {
  const files = new Set(profile.nodes.map(({ callFrame }) => callFrame.url))
  const has = (part: string): boolean => [...files].some((file) => file.includes(part))
  if (has('store/src/store-thread')) return 'store thread'
  if (has('apps/agent/src/main')) return 'agent'
  if (has('apps/coordinator/src/main')) return 'coordinator'
  if (has('apps/minga/src')) return 'command line'
  return 'other'
}

function main(folder: string, top: number): void {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))) {
    const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile
    const { busyMs, costs } = summarise(profile, top)
    console.log(`\n${roleOf(profile)} (${file}): ${(busyMs / 1000).toFixed(1)} s busy`)
    for (const { name, ms } of costs) {
      const mark = WAITING.has(name) ? ' (native code or waiting)' : ''
      console.log(
        `  ${ms.toFixed(0).padStart(7)} ms ${((100 * ms) / busyMs).toFixed(1).padStart(5)} %  ${name}${mark}`,
      )
    }
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  main(process.argv[2] ?? '.', Number(process.argv[3] ?? 25))
}

/**
 * Traces of routes from files, one per line:
 *   source target hop hop …        as in   lisbon 192.0.2.9 10.0.0.1=0.4,0.5,0.4 * 192.0.2.9=11.7,11.9
 * A hop is an address and the times of its probes in ms; `*` is a router that kept silent. Empty
 * lines and lines that begin with # say nothing. An invalid line is reported with its number, and
 * the others count.
 */
import { BadHopList } from './errors.ts'

export interface TraceHop {
  address: string
  timesMs: number[]
}

export interface Trace {
  source: string
  target: string
  /** In the order of the path; silent routers are null. */
  hops: (TraceHop | null)[]
}

export interface HopLists {
  traces: Trace[]
  /** The first of them. */
  faults: BadHopList[]
  faultyLines: number
}

/** A binary file has faults without end. */
const MOST_FAULTS = 100
/** A packet is dropped after so many hops at the latest. */
const MOST_HOPS = 255
const LONGEST_MS = 600_000
const MOST_SHOWN = 60

export function parseHopLists(name: string, lines: Iterable<string>): HopLists {
  const found: HopLists = { traces: [], faults: [], faultyLines: 0 }
  let number = 0
  for (const line of lines) {
    number++
    const trace = parseTrace(line)
    if (trace === null) continue
    if (typeof trace !== 'string') found.traces.push(trace)
    else {
      found.faultyLines++
      if (found.faults.length < MOST_FAULTS) found.faults.push(new BadHopList(name, number, trace))
    }
  }
  return found
}

/** The trace, null for a line that says nothing, or what is wrong. */
function parseTrace(line: string): Trace | string | null {
  const words = line.trim().split(/\s+/)
  const [source, target, ...rest] = words
  if (source === undefined || source === '' || source.startsWith('#')) return null
  if (target === undefined || rest.length === 0) return 'a trace has a source, a target and hops'
  const named = [source, target].find((word) => word.includes('=') || word === '*')
  if (named !== undefined) return `${shown(named)} is a hop; source and target come first`
  if (rest.length > MOST_HOPS) return `${rest.length} hops; no packet takes more than ${MOST_HOPS}`
  const hops: (TraceHop | null)[] = []
  for (const word of rest) {
    const hop = word === '*' ? null : parseHop(word)
    if (typeof hop === 'string') return hop
    hops.push(hop)
  }
  return { source, target, hops }
}

function parseHop(word: string): TraceHop | string {
  const [address, times, ...more] = word.split('=')
  if (address === '' || address === undefined || times === undefined || more.length > 0) {
    return `${shown(word)} is no hop; they look like 192.0.2.1=0.4,0.5 or *`
  }
  const timesMs = times.split(',').map((time) => (time === '' ? NaN : Number(time)))
  const wrong = timesMs.findIndex((time) => !(time >= 0 && time <= LONGEST_MS))
  if (wrong >= 0) return `${shown(times.split(',')[wrong]!)} is no time in ms`
  return { address, timesMs }
}

const shown = (text: string): string => JSON.stringify(text.slice(0, MOST_SHOWN))

/**
 * What one coordinator can serve: processor time per request, answers under load, memory with many
 * idle agents, and what the detour over it costs against fetching directly.
 *   npm run bench:fleet [-- --parts load,idle,overhead --runs 3 --requests 20000 --hosts 1000
 *                          --agents 8 --ask 500 --upload 250 --idle 10000 --idle-seconds 40
 *                          --sites 2000 --write]
 * docs/benchmarks.md says what each figure means. For Linux: the coordinator is measured by /proc.
 */
import { parseArgs } from 'node:util'
import { idleRun, loadRun, type IdleRun, type LoadRun, type LoadSize } from './fleet-load.ts'
import { dataSets, overheadRun, type DataSet, type OverheadRun } from './fleet-overhead.ts'
import { idleTable, loadTable, overheadTable } from './fleet-report.ts'
import { figure, machineFacts, writePart } from './report.ts'

interface Options {
  parts: Set<string>
  runs: number
  load: LoadSize
  idle: { agents: number; seconds: number }
  sites: number
  write: boolean
}

const MB = 1_000_000

async function loadPart({ load, runs }: Options): Promise<string> {
  const done: LoadRun[] = []
  for (let round = 1; round <= runs; round++) {
    const run = await loadRun(load)
    done.push(run)
    const { cpuMicrosPerRequest, requestsPerSecond, uploads } = run
    const stale = uploads.reduce((sum, upload) => sum + upload.stale, 0)
    console.error(
      `round ${round} load: ${figure(cpuMicrosPerRequest)} µs per request, ` +
        `${figure(requestsPerSecond)} requests/s, ${stale} stale`,
    )
  }
  const size = `${figure(load.requests)} requests on ${figure(load.hosts)} hosts`
  return `${size}, ${load.agents} agents, medians of ${runs} with (min–max):\n\n${loadTable(done)}`
}

/** Once: it is long, and memory does not vary as time does. */
async function idlePart({ idle }: Options): Promise<string> {
  const run: IdleRun = await idleRun(idle)
  console.error(`idle: ${figure(run.rssPeakBytes / MB)} MB at most, ${run.failures} failures`)
  if (run.firstFailure !== null) console.error(`idle: ${run.firstFailure}`)
  const connections = run.keepsMain
    ? 'two connections each'
    : "a question's connection closed when it is answered (limit of open files)"
  const lead = `Idle agents for ${figure(Math.round(run.seconds))} s, ${connections}:`
  return `${lead}\n\n${idleTable([run], idle.agents)}`
}

async function overheadPart({ sites, runs }: Options): Promise<string> {
  const results = new Map<DataSet, OverheadRun[]>(dataSets(sites).map((set) => [set, []]))
  for (let round = 1; round <= runs; round++) {
    for (const [set, done] of results) {
      const run = await overheadRun(set)
      done.push(run)
      const rates = run.minga.map(figure).join(', ')
      console.error(`round ${round} ${set.name}: direct ${figure(run.direct)}, Minga ${rates}`)
    }
  }
  const lead = `Requests/s, and how many times the direct loop's, medians of ${runs}:`
  return `${lead}\n\n${overheadTable(results)}`
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      parts: { type: 'string', default: 'load,idle,overhead' },
      runs: { type: 'string', default: '3' },
      requests: { type: 'string', default: '20000' },
      hosts: { type: 'string', default: '1000' },
      agents: { type: 'string', default: '8' },
      ask: { type: 'string', default: '500' },
      upload: { type: 'string', default: '250' },
      idle: { type: 'string', default: '10000' },
      'idle-seconds': { type: 'string', default: '40' },
      sites: { type: 'string', default: '2000' },
      write: { type: 'boolean', default: false },
    },
  })
  const number = (name: Exclude<keyof typeof values, 'parts' | 'write'>): number =>
    wholeNumber(`--${name}`, values[name])
  return {
    parts: new Set(values.parts.split(',')),
    runs: number('runs'),
    load: {
      requests: number('requests'),
      hosts: number('hosts'),
      agents: number('agents'),
      askMax: number('ask'),
      uploadMax: number('upload'),
    },
    idle: { agents: number('idle'), seconds: number('idle-seconds') },
    sites: number('sites'),
    write: values.write,
  }
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1) return value
  throw new Error(`${name} is ${text}, and it must be a whole number from 1.`)
}

const PARTS = { load: loadPart, idle: idlePart, overhead: overheadPart }

const options = readOptions()
const texts = [machineFacts(new Date())]
for (const [name, part] of Object.entries(PARTS)) {
  if (options.parts.has(name)) texts.push(await part(options))
}
const text = texts.join('\n\n')
console.log(text)
if (options.write) writePart('fleet', text)

/** `minga agent status | pause | resume | log`: the owner's view and levers, also while it is stopped. */
import {
  ActivityLog,
  readDeviceFile,
  readUsage,
  readOwnerSettings,
  writeOwnerSettings,
  type ActivityLine,
  type AgentView,
  type VolunteerLimits,
} from '@minga/agent'
import { systemClock } from '@minga/protocol'
import { resolve } from 'node:path'
import { EXIT } from '../../exit-codes.ts'
import { formatBytes } from '../../progress.ts'
import { findAgent, whileStopped } from './running-agent.ts'

export interface StatusOptions {
  data: string
  json?: boolean
}

/** Exit code 0 whether it runs or not: it was asked how things are, and says it. */
export async function status(options: StatusOptions): Promise<number> {
  const data = resolve(options.data)
  const agent = await findAgent(data)
  if (agent !== null) {
    const { view, url, pid } = agent
    say(options, { isRunning: true, pid, page: `${url}/`, ...view }, runningText(view, url))
    return EXIT.ok
  }
  const stopped = await whileStopped(data, () => stoppedView(data))
  say(options, stopped, stoppedText(stopped))
  return EXIT.ok
}

function say({ json }: StatusOptions, view: object, text: string): void {
  process.stdout.write(json ? `${JSON.stringify(view)}\n` : text)
}

async function stoppedView(data: string) {
  const { limits, isPaused } = await readOwnerSettings(data)
  const device = await readDeviceFile(data)
  const use = await readUsage(data)
  const isThisMonth = use?.month === new Date(systemClock.now()).toISOString().slice(0, 7)
  return {
    isRunning: false,
    station: device?.station ?? null,
    device: device?.device ?? null,
    isPaused,
    limits,
    monthBytes: isThisMonth ? (use?.bytes ?? 0) : 0,
  }
}

function stoppedText(view: Awaited<ReturnType<typeof stoppedView>>): string {
  const { station, device, isPaused, limits, monthBytes } = view
  return table([
    ['state', `stopped${isPaused ? ', and paused when it starts' : ''}`],
    ['station', station === null ? 'none yet' : `${station} (${device ?? 'not enrolled'})`],
    ['this month', monthText(monthBytes, limits)],
    ...limitRows(limits),
  ])
}

function runningText(view: AgentView, url: string): string {
  const { requests, bytes, waitingToSend, limits } = view
  return table([
    ['state', `${view.condition}: ${view.why}`],
    ...(view.message === null ? [] : [['operator', view.message.text] satisfies Row]),
    ['station', `${view.station} as “${view.name}” (${view.device ?? 'not enrolled'})`],
    ['page', `${url}/`],
    [
      'now',
      `${view.inFlight.length} in flight of at most ${view.concurrency}, ${view.inHand} in progress, ` +
        `${waitingToSend.results} (${formatBytes(waitingToSend.bytes)}) to be sent`,
    ],
    [
      'since start',
      `${requests.captured} captured, ${requests.failed} failed, ${requests.returned} given back; ` +
        `${formatBytes(bytes.down)} down, ${formatBytes(bytes.up)} up`,
    ],
    ['this month', monthText(view.monthBytes, limits)],
    ...limitRows(limits),
    ...view.inFlight.map(({ url: asked }): Row => ['fetching', asked]),
  ])
}

function monthText(used: number, { bytesPerMonth }: VolunteerLimits): string {
  return `${formatBytes(used)}${bytesPerMonth === null ? '' : ` of ${formatBytes(bytesPerMonth)}`}`
}

function limitRows(limits: VolunteerLimits): Row[] {
  const { requestsPerSecond, bytesPerSecond, cpuShare, hours, neverHosts } = limits
  const { pauseOnBattery, pauseOnMetered } = limits
  const rest = [pauseOnBattery ? ['battery'] : [], pauseOnMetered ? ['a metered line'] : []].flat()
  return [
    ['requests', requestsPerSecond === null ? 'no limit' : `${requestsPerSecond} per second`],
    [
      'bandwidth',
      bytesPerSecond === null ? 'no limit' : `${formatBytes(bytesPerSecond)} per second`,
    ],
    ['processor', cpuShare === null ? 'no limit' : `${cpuShare} of one`],
    ['hours', hours ?? 'always'],
    ['rests on', rest.length === 0 ? 'nothing' : rest.join(' and ')],
    ...(neverHosts.length === 0 ? [] : [['never', neverHosts.join(', ')] satisfies Row]),
  ]
}

type Row = [name: string, text: string]

function table(rows: Row[]): string {
  return rows.map(([name, text]) => `${name.padEnd(12)} ${printable(text)}\n`).join('')
}

/** Addresses are other people's text: nothing in them may move the cursor. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '�')
}

export async function pause({ data }: { data: string }): Promise<number> {
  return setPaused(resolve(data), true)
}

export async function resume({ data }: { data: string }): Promise<number> {
  return setPaused(resolve(data), false)
}

async function setPaused(data: string, isPaused: boolean): Promise<number> {
  const agent = await findAgent(data)
  if (agent !== null) {
    const view = await agent.post<AgentView>(isPaused ? '/api/pause' : '/api/resume')
    process.stderr.write(`minga: ${view.condition}: ${view.why}\n`)
    return EXIT.ok
  }
  await whileStopped(data, async () =>
    writeOwnerSettings(data, { ...(await readOwnerSettings(data)), isPaused }),
  )
  process.stderr.write(
    `minga: no agent is running in ${data}; when it starts it ${isPaused ? 'rests' : 'works'}.\n`,
  )
  return EXIT.ok
}

export interface LogOptions {
  data: string
  host?: string
  limit: number
  jsonl?: boolean
}

const PIECE_LINES = 1_000

export async function log(options: LogOptions): Promise<number> {
  const data = resolve(options.data)
  const agent = await findAgent(data)
  const host = options.host?.toLowerCase()
  if (agent === null) {
    const lines = await whileStopped(data, async () => {
      const file = await ActivityLog.open(data, Infinity)
      return file.read({ limit: options.limit, ...(host === undefined ? {} : { host }) })
    })
    print(lines, options)
    return EXIT.ok
  }
  let before: number | undefined
  for (let left = options.limit; left > 0;) {
    const asked = Math.min(left, PIECE_LINES)
    const query = new URLSearchParams({ limit: String(asked) })
    if (before !== undefined) query.set('before', String(before))
    if (host !== undefined) query.set('host', host)
    const lines = await agent.get<ActivityLine[]>(`/api/activity?${query.toString()}`)
    print(lines, options)
    if (lines.length < asked) break
    left -= lines.length
    before = lines.at(-1)?.no
  }
  return EXIT.ok
}

function print(lines: readonly ActivityLine[], { jsonl }: LogOptions): void {
  const text = lines.map((line) => (jsonl ? JSON.stringify(line) : lineText(line)))
  process.stdout.write(text.map((line) => `${line}\n`).join(''))
}

function lineText({ at, url, status: code, code: error, bytes, ms }: ActivityLine): string {
  const when = new Date(at).toISOString().replace('T', ' ').slice(0, 19)
  const result = String(code ?? error ?? '–').padEnd(5)
  return `${when}  ${result}  ${formatBytes(bytes).padStart(9)}  ${String(ms).padStart(6)} ms  ${printable(url)}`
}

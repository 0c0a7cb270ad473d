/** `minga status`: what runs at a station and what needs attention, or what a folder holds without one. */
import { openCurrent, openReadOnly } from '@minga/coordinator'
import { STOPPED_PID, readStationFile } from '@minga/coordinator/station-file'
import {
  spanText,
  systemClock,
  type AttentionItem,
  type AttentionList,
  type CollectionPage,
  type LiveCollection,
  type WatchListPage,
} from '@minga/protocol'
import type { Command } from 'commander'
import type { Api } from '../api.ts'
import { Reported } from '../errors.ts'
import { EXIT } from '../exit-codes.ts'
import { operatorCommand } from '../options.ts'
import { isAlive, listedProcesses, type ListedProcess } from '../processes.ts'
import type { Run } from '../run-program.ts'
import { formatBytes } from '../progress.ts'
import { print, printJson, tableText } from './watch/text.ts'
import { findApi, type StationOptions } from './reach-api.ts'

const EXAMPLES = `
Examples:
  minga status
  minga status --json | jq '.attention[] | select(.level == "error")'
  minga status --station https://station.example --key "$KEY"

Without a station, what the folder holds is read and none is started. The command ends with 1 when
something of level error needs attention, else with 0.
`

export function statusCommand(program: Command, run: Run): void {
  operatorCommand(program, 'status')
    .description('show what runs at a station and what needs attention')
    .addHelpText('after', EXAMPLES)
    .action(run((options: StationOptions) => show(options)))
}

async function show(options: StationOptions): Promise<number> {
  const api = await findApi(options)
  if (api === null) {
    const status = await readFolder(options.data)
    if (options.json) printJson(status)
    else print(folderText(status))
    return EXIT.ok
  }
  const listed = options.station === undefined ? await listedProcesses(options.data) : []
  const status = await readStation(api, listed)
  if (options.json) printJson(status)
  else print(stationText(status))
  return status.attention.some(({ level }) => level === 'error') ? EXIT.error : EXIT.ok
}

export interface StationStatus {
  isRunning: true
  url: string
  /** Those that run or rest, the newest first, and how many there are of them. */
  collections: { total: number; shown: CollectionLine[] }
  /** Those that are visited next, and how many are watched. */
  watches: { total: number; shown: { id: number; name: string; nextVisitAt: number | null }[] }
  devices: { total: number; shown: { id: string; name: string; doing: string }[] }
  processes: ListedProcess[]
  attention: AttentionItem[]
}

export type CollectionLine = Pick<
  LiveCollection,
  'id' | 'state' | 'found' | 'queued' | 'pages' | 'failed'
> & { name: string }

const COLLECTIONS_SHOWN = 10
const WATCHES_SHOWN = 5
const DEVICES_SHOWN = 20

async function readStation(api: Api, processes: ListedProcess[]): Promise<StationStatus> {
  const collections = await allowed(
    api.get<CollectionPage>(`/collections/list?state=running,paused&limit=${COLLECTIONS_SHOWN}`),
    { rows: [], cursor: null, total: 0 },
  )
  const next = `/watches/list?state=active&sort=nextVisit&descending=false&limit=${WATCHES_SHOWN}`
  const watches = await allowed(api.get<WatchListPage>(next), { watches: [], next: null, total: 0 })
  const devices = await allowed(
    api.get<{ rows: DeviceLine[]; total: number }>(`/devices/page?limit=${DEVICES_SHOWN}`),
    { rows: [], total: 0 },
  )
  const { items: attention } = await api.get<AttentionList>('/attention')
  return {
    isRunning: true,
    url: api.url ?? '',
    collections: { total: collections.total, shown: collections.rows.map(collectionLine) },
    watches: {
      total: watches.total,
      shown: watches.watches.map(({ id, name, nextVisitAt }) => ({ id, name, nextVisitAt })),
    },
    devices: {
      total: devices.total,
      shown: devices.rows.map(({ id, name, doing }) => ({ id, name, doing })),
    },
    processes,
    attention,
  }
}

type DeviceLine = StationStatus['devices']['shown'][number]

function collectionLine(status: LiveCollection): CollectionLine {
  const { id, state, found, queued, pages, failed, spec } = status
  return { id, name: spec.seeds[0] ?? spec.kind, state, found, queued, pages, failed }
}

/** A key may have fewer rights: what it may not see is left out. */
async function allowed<T>(asked: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof Reported && error.code === 'MINGA_FORBIDDEN') return otherwise
    throw error
  }
}

export interface FolderStatus {
  isRunning: false
  data: string
  captures: number
  bytes: number
  watches: number
  /** The one that served the folder last; null when none did. */
  lastStation: { url: string; state: 'stopped' | 'ended' | 'silent' } | null
}

async function readFolder(data: string): Promise<FolderStatus> {
  const lastStation = await lastStationOf(data)
  const current = await openCurrent(data)
  const archive = current ?? openReadOnly(data)
  const nothing = { captures: 0, bytes: 0, watches: 0 }
  if (archive === null) return { isRunning: false, data, ...nothing, lastStation }
  try {
    const { captures, files } = await archive.facts()
    const bytes = files.reduce((sum, { committedBytes }) => sum + committedBytes, 0)
    // A folder of an older program may know nothing of watches.
    const watches = (await current?.watches(EVERY_WATCH))?.length ?? 0
    return { isRunning: false, data, captures, bytes, watches, lastStation }
  } finally {
    archive.close()
  }
}

const EVERY_WATCH = { before: Number.MAX_SAFE_INTEGER, limit: 10_000 }

async function lastStationOf(data: string): Promise<FolderStatus['lastStation']> {
  const file = await readStationFile(data)
  if (file === null) return null
  const { url, pid } = file
  if (pid === STOPPED_PID) return { url, state: 'stopped' }
  return { url, state: isAlive(pid) ? 'silent' : 'ended' }
}

/** What `minga status` shows on a terminal. */
export function stationText(status: StationStatus, now: number = systemClock.now()): string {
  const { url, collections, watches, devices, processes, attention } = status
  const alive = processes.filter((each) => each.isAlive)
  return [
    `The station runs at ${url}\n`,
    section(
      'Needs attention',
      attention.flatMap((item) => attentionRows(item, now)),
    ),
    section(counted(collections, 'Collections'), collections.shown.map(collectionRow)),
    section(
      counted(watches, 'Next visits of watches'),
      watches.shown.map(({ id, name, nextVisitAt }) => [
        `#${id}`,
        name,
        whenText(nextVisitAt, now),
      ]),
    ),
    section(
      counted(devices, 'Devices'),
      devices.shown.map(({ name, doing }) => [name, doing]),
    ),
    section(
      'Processes',
      alive.map(({ role, pid }) => [role, String(pid)]),
    ),
    ...(attention.length === 0 ? ['\nNothing needs attention.\n'] : []),
  ].join('')
}

/** Nothing when there is nothing to list. */
function section(title: string, rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const indented = tableText(rows).replaceAll(/^(?=.)/gm, '  ')
  return `\n${title}\n${indented}`
}

function counted({ total, shown }: { total: number; shown: readonly unknown[] }, title: string) {
  return total > shown.length ? `${title} (${shown.length} of ${total})` : title
}

function attentionRows({ level, sentence, remedy, since }: AttentionItem, now: number): string[][] {
  const age = since === null ? '' : ` (for ${spanText(Math.max(0, now - since))})`
  return [
    [level, `${sentence}${age}`],
    ['', remedy],
  ]
}

function collectionRow({ id, name, state, found, queued, pages, failed }: CollectionLine) {
  const done = found === 0 ? 0 : Math.floor((100 * (found - queued)) / found)
  const wrong = failed === 0 ? '' : `, ${failed} failed`
  return [`#${id}`, name, state, `${done} %`, `${pages} pages${wrong}`]
}

function whenText(at: number | null, now: number): string {
  if (at === null) return 'not planned'
  return at <= now ? 'due now' : `in ${spanText(at - now)}`
}

const LAST = {
  stopped: 'was stopped',
  ended: 'ended without closing; `minga up` recovers it',
  silent: 'does not answer, but its process is alive; `minga doctor` says more',
} as const

export function folderText({ data, captures, bytes, watches, lastStation }: FolderStatus): string {
  const last =
    lastStation === null ? '' : `The last one, at ${lastStation.url}, ${LAST[lastStation.state]}.\n`
  const lead = `No station runs in ${data}.\n${last}`
  if (captures === 0 && watches === 0) {
    return `${lead}Nothing collected here yet; start with: minga crawl https://example.org/\n`
  }
  const watched = watches === 0 ? '' : ` and ${watches === 1 ? '1 watch' : `${watches} watches`}`
  return `${lead}The folder holds ${captures} captures (${formatBytes(bytes)})${watched}.\n`
}

/** What `minga status` shows on a terminal. */
import { spanText, systemClock, type AttentionItem } from '@minga/protocol'
import { formatBytes } from '../progress.ts'
import type { CollectionLine, FolderStatus, StationStatus } from './status.ts'
import { tableText } from './watch/text.ts'

export function stationText(status: StationStatus, now: number = systemClock.now()): string {
  const { url, collections, watches, devices, processes, attention } = status
  const alive = processes.filter(({ isAlive }) => isAlive)
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

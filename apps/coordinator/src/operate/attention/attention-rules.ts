/** The rules of what needs a person's attention: plain facts in, items of the list out. */
import {
  ATTENTION_LEVELS,
  spanText,
  type AttentionItem,
  type CollectionProblem,
  type JobView,
} from '@minga/protocol'
import type { DiskRoom } from '../../station/disk-room.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** What ended longer ago than this is history. */
export const RECENT_MS = 7 * DAY_MS

export interface CollectionFacts {
  id: number
  name: string
  /** It ended without a page. */
  isFailed: boolean
  captures: number
  failed: number
  problem: Pick<CollectionProblem, 'message' | 'remedy'> | null
  /** When it ended, or began while it runs. */
  at: number
}

/** Fewer addresses say nothing about a share. */
const TRIED_LEAST = 10
const FAILED_SHARE_MOST = 0.1

export function collectionItem(facts: CollectionFacts): AttentionItem | null {
  const { id, name, captures, failed, problem, at: since } = facts
  const tried = captures + failed
  const shared = { since, link: `/collections/${id}` }
  const cause = problem?.message ?? 'no page was captured'
  if (facts.isFailed) {
    return {
      ...shared,
      code: 'collection-failed',
      level: 'error',
      params: { id, name, cause },
      sentence: `Collection ${id} (${name}) captured no page: ${cause}.`,
      remedy: problem?.remedy ?? 'Check the addresses that it begins with.',
    }
  }
  if (tried < TRIED_LEAST || failed / tried <= FAILED_SHARE_MOST) return null
  const percent = Math.round((100 * failed) / tried)
  return {
    ...shared,
    code: 'collection-errors',
    level: 'warning',
    params: { id, name, percent, failed, tried },
    sentence: `Collection ${id} (${name}): ${percent} % of its ${tried} requests failed.`,
    remedy: problem?.remedy ?? 'Read its errors and decide whether to pause it.',
  }
}

export interface WatchFacts {
  id: number
  name: string
  /** Failures in a row of the page that fails longest; 0 when none does. */
  failures: number
  failingUrl: string | null
  failingSince: number | null
  noisyRegions: number
  noisySince: number | null
}

const FAILURES_LEAST = 3

export function watchItems(facts: WatchFacts): AttentionItem[] {
  const { id, name, failures, failingUrl: url, noisyRegions: regions } = facts
  const link = `/watches/${id}`
  const items: AttentionItem[] = []
  if (failures >= FAILURES_LEAST) {
    items.push({
      code: 'watch-failing',
      level: 'warning',
      params: { id, name, failures, url: url ?? '' },
      sentence: `Watch ${id} (${name}): the last ${failures} visits to ${url ?? 'a page'} failed.`,
      remedy: 'Check that the page still exists, or change or pause the watch.',
      since: facts.failingSince,
      link,
    })
  }
  if (regions > 0) {
    const what = regions === 1 ? 'a large region is' : `${regions} large regions are`
    items.push({
      code: 'watch-noisy',
      level: 'warning',
      params: { id, name, regions },
      sentence: `Watch ${id} (${name}): ${what} ignored as noise and may hide changes.`,
      remedy: 'Check what is ignored, and restore what matters.',
      since: facts.noisySince,
      link,
    })
  }
  return items
}

export interface DeviceFacts {
  id: string
  name: string
  isQuarantined: boolean
  quarantinedAt: number | null
  seenAt: number
}

/** More than these are reported together. */
const SILENT_APART = 3

export function deviceItems(devices: readonly DeviceFacts[], now: number): AttentionItem[] {
  const held = devices.filter(({ isQuarantined }) => isQuarantined)
  const silent = devices.filter(({ isQuarantined, seenAt }) => {
    return !isQuarantined && now - seenAt > HOUR_MS && now - seenAt <= RECENT_MS
  })
  const apart = silent.length > SILENT_APART ? [] : silent
  return [
    ...held.map(quarantined),
    ...apart.map((device) => silentItem(device, now)),
    ...(silent.length > SILENT_APART ? [silentTogether(silent)] : []),
  ]
}

function quarantined({ id, name, quarantinedAt }: DeviceFacts): AttentionItem {
  return {
    code: 'device-quarantined',
    level: 'error',
    params: { id, name },
    sentence: `Device ${name} is quarantined: what it brought differed from what others saw.`,
    remedy: 'Check the accusation, and release or revoke the device.',
    since: quarantinedAt,
    link: `/devices/${encodeURIComponent(id)}`,
  }
}

function silentItem({ id, name, seenAt }: DeviceFacts, now: number): AttentionItem {
  return {
    code: 'device-silent',
    level: 'warning',
    params: { id, name, silentMs: now - seenAt },
    sentence: `Device ${name} has been silent for ${spanText(now - seenAt)}.`,
    remedy: 'Start its agent again, or pause or delete the device.',
    since: seenAt,
    link: `/devices/${encodeURIComponent(id)}`,
  }
}

function silentTogether(silent: readonly DeviceFacts[]): AttentionItem {
  return {
    code: 'devices-silent',
    level: 'warning',
    params: { total: silent.length },
    sentence: `${silent.length} devices have been silent for more than an hour.`,
    remedy: 'Start their agents again, or pause or delete the devices.',
    since: Math.min(...silent.map(({ seenAt }) => seenAt)),
    link: '/devices',
  }
}

export interface DiskFacts {
  /** Null when the system does not say. */
  room: DiskRoom | null
  /** When it will probably be full; null when that is not to be expected or not known. */
  fullAt: number | null
}

const FREE_SHARE_LEAST = 0.05
const FULL_WITHIN_MS = 30 * DAY_MS
const MEGABYTE = 1_000_000

export function diskItem({ room, fullAt }: DiskFacts, now: number): AttentionItem | null {
  const shared = {
    remedy: 'Make room, or move the folder of the station to a larger disk.',
    since: null,
    link: '/growth',
  }
  if (room !== null && room.freeBytes < FREE_SHARE_LEAST * room.wholeBytes) {
    const { freeBytes, wholeBytes } = room
    const percent = Math.floor((1_000 * freeBytes) / wholeBytes) / 10
    const megabytes = Math.round(freeBytes / MEGABYTE)
    return {
      ...shared,
      code: 'disk-low',
      level: 'error',
      params: { percent, megabytes },
      sentence: `The disk of the archive has ${percent} % left (${megabytes} MB).`,
    }
  }
  if (fullAt === null || fullAt - now >= FULL_WITHIN_MS) return null
  const days = Math.max(0, Math.floor((fullAt - now) / DAY_MS))
  return {
    ...shared,
    code: 'disk-full-soon',
    level: 'warning',
    params: { days },
    sentence: `The disk of the archive will be full in about ${days === 1 ? '1 day' : `${days} days`}.`,
  }
}

export interface StationFacts {
  contact: string | null
  publicUrl: string | null
  /** Others than this machine can call it. */
  isOnNetwork: boolean
}

export function stationItems({ contact, publicUrl, isOnNetwork }: StationFacts): AttentionItem[] {
  const items: AttentionItem[] = []
  if (contact === null) {
    items.push({
      code: 'no-contact',
      level: isOnNetwork ? 'warning' : 'info',
      params: {},
      sentence: 'The owners of sites cannot reach you: no contact is set.',
      remedy: 'Start the station with --contact and a mail address or a page (or MINGA_CONTACT).',
      since: null,
      link: '/config',
    })
  }
  if (isOnNetwork && publicUrl === null) {
    items.push({
      code: 'no-public-address',
      level: 'warning',
      params: {},
      sentence: 'The station listens on the network, but its public address is not set.',
      remedy: 'Start the station with --public-url and the address by which others reach it.',
      since: null,
      link: '/config',
    })
  }
  return items
}

const IMBALANCE_MOST = 0.4

export function placementItem(imbalance: number | null): AttentionItem | null {
  if (imbalance === null || imbalance <= IMBALANCE_MOST) return null
  const percent = Math.round(100 * imbalance)
  return {
    code: 'placement-uneven',
    level: 'warning',
    params: { percent },
    sentence: `Work is placed unevenly: the fullest agent has ${percent} % more than its share.`,
    remedy: 'Plan the placement again, or choose another strategy.',
    since: null,
    link: '/placement',
  }
}

export type JobFacts = Pick<JobView, 'kind' | 'id' | 'subject' | 'at' | 'endedAt' | 'error'>

export function jobItem({ kind, id, subject, at, endedAt, error }: JobFacts): AttentionItem {
  const cause = (error?.message ?? 'no reason is known').replace(/\.$/, '')
  return {
    code: 'job-failed',
    level: 'warning',
    params: { kind, id, subject, cause },
    sentence: `Job ${kind} (${subject}) failed: ${cause}.`,
    remedy: 'Read its error, and try it again once the cause is gone.',
    since: endedAt ?? at,
    link: '/tasks',
  }
}

export interface ProcessFacts {
  role: string
  name: string
  /** Within the last day. */
  replaced: number
  /** It ended so often that it is started again only after a rest. */
  rests: number
  lastAt: number
}

const REPLACED_LEAST = 3

export function processItem(facts: ProcessFacts): AttentionItem | null {
  const { role, name, replaced, rests, lastAt } = facts
  if (replaced < REPLACED_LEAST && rests === 0) return null
  return {
    code: 'process-restarts',
    level: rests > 0 ? 'error' : 'warning',
    params: { role, name, replaced },
    sentence: `The ${role} ${name} was replaced ${replaced} times within a day.`,
    remedy:
      'Read the events of processes to see how it ended, and check the memory of the machine.',
    since: lastAt,
    link: '/events',
  }
}

/** The gravest first; of one level the newest first, and last what has no time. */
export function inOrder(items: readonly AttentionItem[]): AttentionItem[] {
  const rank = ({ level }: AttentionItem): number => ATTENTION_LEVELS.indexOf(level)
  return items.toSorted((a, b) => rank(a) - rank(b) || (b.since ?? 0) - (a.since ?? 0))
}

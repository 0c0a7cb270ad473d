// Goal: each rule speaks exactly from its limit on, says what is the matter and what to do, and the gravest stands
// first. Method: plain facts on both sides of every limit.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttentionItem } from '@minga/protocol'
import {
  collectionItem,
  deviceItems,
  diskItem,
  inOrder,
  jobItem,
  placementItem,
  processItem,
  stationItems,
  watchItems,
  type CollectionFacts,
  type DeviceFacts,
  type WatchFacts,
} from './attention-rules.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOW = Date.UTC(2026, 4, 6)

const codesOf = (items: readonly (AttentionItem | null)[]): string[] =>
  items.flatMap((item) => (item === null ? [] : [`${item.level} ${item.code}`]))

const COLLECTION: CollectionFacts = {
  id: 3,
  name: 'http://valley.test/',
  isFailed: false,
  captures: 90,
  failed: 10,
  problem: null,
  at: NOW,
}

test('a collection without a page is an error with its cause and remedy', () => {
  const problem = { message: 'there is no host of that name', remedy: 'Check the spelling.' }
  const item = collectionItem({ ...COLLECTION, captures: 0, isFailed: true, problem })!
  assert.deepEqual([item.level, item.code], ['error', 'collection-failed'])
  assert.equal(
    item.sentence,
    'Collection 3 (http://valley.test/) captured no page: there is no host of that name.',
  )
  assert.deepEqual([item.remedy, item.link], ['Check the spelling.', '/collections/3'])
})

test('a collection is reported when more than a tenth failed, not at a tenth and not of a handful', () => {
  assert.equal(collectionItem(COLLECTION), null)
  assert.equal(collectionItem({ ...COLLECTION, captures: 1, failed: 8 }), null)
  const item = collectionItem({ ...COLLECTION, captures: 80, failed: 20 })!
  assert.deepEqual([item.level, item.code], ['warning', 'collection-errors'])
  assert.match(item.sentence, /20 % of its 100 requests failed/)
})

const WATCH: WatchFacts = {
  id: 4,
  name: 'News',
  failures: 0,
  failingUrl: null,
  failingSince: null,
  noisyRegions: 0,
  noisySince: null,
}

test('a watch is reported from the third failure in a row on, and when a region hides too much', () => {
  assert.deepEqual(watchItems({ ...WATCH, failures: 2 }), [])
  const both = watchItems({
    ...WATCH,
    failures: 3,
    failingUrl: 'http://valley.test/news',
    noisyRegions: 1,
  })
  assert.deepEqual(codesOf(both), ['warning watch-failing', 'warning watch-noisy'])
  assert.match(both[0]!.sentence, /the last 3 visits to http:\/\/valley\.test\/news failed/)
  assert.match(both[1]!.sentence, /a large region is ignored/)
})

const DEVICE: DeviceFacts = {
  id: 'dev_1',
  name: 'laptop',
  isQuarantined: false,
  quarantinedAt: null,
  seenAt: NOW - 2 * HOUR_MS,
}

test('devices are reported when quarantined or silent for more than an hour, and not for ever', () => {
  const at = (seenAt: number): string[] => codesOf(deviceItems([{ ...DEVICE, seenAt }], NOW))
  assert.deepEqual(at(NOW - HOUR_MS), [])
  assert.deepEqual(at(NOW - HOUR_MS - 1), ['warning device-silent'])
  assert.deepEqual(at(NOW - 8 * DAY_MS), [])
  assert.match(deviceItems([DEVICE], NOW)[0]!.sentence, /laptop has been silent for 2 h/)
  const held = { ...DEVICE, isQuarantined: true, seenAt: NOW }
  assert.deepEqual(codesOf(deviceItems([held], NOW)), ['error device-quarantined'])
})

test('many silent devices are one line', () => {
  const silent = ['a', 'b', 'c', 'd'].map((id) => ({ ...DEVICE, id }))
  assert.equal(deviceItems(silent.slice(1), NOW).length, 3)
  assert.deepEqual(codesOf(deviceItems(silent, NOW)), ['warning devices-silent'])
})

test('a disk is reported below a twentieth of room, or when it is full within a month', () => {
  const room = (freeBytes: number) => ({ freeBytes, wholeBytes: 1_000 })
  const tell = (freeBytes: number, fullAt: number | null): string[] =>
    codesOf([diskItem({ room: room(freeBytes), fullAt }, NOW)])
  assert.deepEqual(tell(50, null), [])
  assert.deepEqual(tell(49, null), ['error disk-low'])
  assert.deepEqual(tell(900, NOW + 30 * DAY_MS), [])
  assert.deepEqual(tell(900, NOW + 29 * DAY_MS), ['warning disk-full-soon'])
  assert.equal(diskItem({ room: null, fullAt: null }, NOW), null)
})

test('a station without a contact or, on the network, without an address is reported', () => {
  const facts = { contact: null, publicUrl: null, isOnNetwork: false }
  assert.deepEqual(codesOf(stationItems(facts)), ['info no-contact'])
  assert.deepEqual(codesOf(stationItems({ ...facts, isOnNetwork: true })), [
    'warning no-contact',
    'warning no-public-address',
  ])
  const whole = { contact: 'a@valley.test', publicUrl: 'https://valley.test', isOnNetwork: true }
  assert.deepEqual(stationItems(whole), [])
})

test('an uneven placement, a failed job and a process that ends again and again are reported', () => {
  assert.deepEqual(codesOf([placementItem(null), placementItem(0.4)]), [])
  assert.deepEqual(codesOf([placementItem(0.41)]), ['warning placement-uneven'])
  const error = { code: 'MINGA_BAD_QUERY', message: 'There is no such column.' }
  const job = { kind: 'query', id: 'q1', subject: 'books-1', at: 1, endedAt: 2, error } as const
  assert.equal(jobItem(job).sentence, 'Job query (books-1) failed: There is no such column.')
  const process = { role: 'agent', name: 'local-1', replaced: 2, rests: 0, lastAt: NOW }
  assert.equal(processItem(process), null)
  assert.equal(processItem({ ...process, replaced: 3 })!.level, 'warning')
  assert.equal(processItem({ ...process, rests: 1 })!.level, 'error')
})

test('the gravest stands first, of one level the newest, and last what has no time', () => {
  const [blank] = stationItems({ contact: null, publicUrl: null, isOnNetwork: false })
  const given = [
    ['info', 9],
    ['warning', null],
    ['warning', 1],
    ['error', 1],
    ['warning', 2],
  ] as const
  const items = inOrder(given.map(([level, since]) => ({ ...blank!, level, since })))
  assert.deepEqual(
    items.map(({ level, since }) => [level, since]),
    [
      ['error', 1],
      ['warning', 2],
      ['warning', 1],
      ['warning', null],
      ['info', 9],
    ],
  )
})

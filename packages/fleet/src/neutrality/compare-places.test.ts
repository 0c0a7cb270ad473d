// Goal: a place that sees something else is flagged for what it is, only when it is certain as
// certain, and what differs everywhere is no flag. Method: small worlds by hand, then properties.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { comparePlaces, type DeviationKind } from './compare-places.ts'
import { findingsText, flagsCsv, flagsOf } from './findings-text.ts'
import type { PlacedObservation, MonitorObservation } from './observation.ts'

const URL_SEEN = 'https://news.test/'

const FINE: MonitorObservation = {
  status: 200,
  code: null,
  location: null,
  digest: 'sha256:aa',
  fingerprint: 'fp:one',
  language: 'es',
  certificate: { digest: 'sha256:c', issuer: 'CN=Good CA', subject: 'CN=news.test', validUntil: 0 },
}
const failed = (code: string): MonitorObservation => ({
  ...FINE,
  status: null,
  code,
  digest: null,
  fingerprint: null,
  certificate: null,
})

let devices = 0
function seenFrom(place: string, ...seen: Partial<MonitorObservation>[]): PlacedObservation[] {
  return seen.map((observation) => ({ ...FINE, ...observation, place, device: ++devices }))
}

const FREE = ['AR', 'BR', 'CL', 'PE'].flatMap((place) => seenFrom(place, {}, {}))

function onlyDeviation(...odd: Partial<MonitorObservation>[]): [DeviationKind, boolean] {
  const { verdict, deviations } = comparePlaces(URL_SEEN, [...FREE, ...seenFrom('XX', ...odd)])
  assert.equal(verdict, 'differs')
  assert.equal(deviations.length, 1)
  assert.equal(deviations[0]!.place, 'XX')
  return [deviations[0]!.kind, deviations[0]!.isConfirmed]
}

test('what is the same everywhere is said to be', () => {
  const finding = comparePlaces(URL_SEEN, FREE)
  assert.deepEqual([finding.verdict, finding.consensus, finding.places], ['same', 'ok', 4])
})

test('each way of being kept away has its name', () => {
  const kinds: [Partial<MonitorObservation>, DeviationKind][] = [
    [{ status: 403 }, 'blocked'],
    [{ status: 451 }, 'blocked'],
    [{ status: 500 }, 'status'],
    [{ status: 302, location: 'http://blocked.test/why' }, 'redirect'],
    [failed('MINGA_CONNECT_REFUSED'), 'refused'],
    [failed('MINGA_CONNECTION_LOST'), 'reset'],
    [failed('MINGA_CONNECT_TIMEOUT'), 'timeout'],
    [failed('MINGA_RESPONSE_TIMEOUT'), 'timeout'],
    [failed('MINGA_BAD_RESPONSE'), 'garbled'],
    [failed('MINGA_TLS_FAILED'), 'tls'],
    [{ fingerprint: 'fp:two' }, 'content'],
    [{ fingerprint: 'fp:two', language: 'en' }, 'variant'],
    [{ certificate: { ...FINE.certificate!, issuer: 'CN=State CA' } }, 'certificate'],
  ]
  for (const [seen, kind] of kinds) {
    assert.deepEqual(onlyDeviation(seen, seen), [kind, true])
    assert.deepEqual(onlyDeviation(seen), [kind, false], 'one device alone proves nothing')
    assert.deepEqual(onlyDeviation(seen, {}), [kind, false], 'its neighbour sees nothing of it')
  }
})

test('another certificate of the same issuer is no deviation', () => {
  const other = { certificate: { ...FINE.certificate!, digest: 'sha256:other' } }
  assert.equal(comparePlaces(URL_SEEN, [...FREE, ...seenFrom('XX', other, other)]).verdict, 'same')
})

test('two places cannot be compared, and what says nothing does not count as a place', () => {
  const two = ['AR', 'BR'].flatMap((place) => seenFrom(place, {}, {}))
  const robots = seenFrom('XX', failed('MINGA_ROBOTS_DENIED'), failed('gone'))
  assert.equal(comparePlaces(URL_SEEN, [...two, ...robots]).verdict, 'too-few')
})

test('a page that is other on every fetch, or in every place, accuses no device', () => {
  const restless = ['AR', 'BR', 'CL'].flatMap((place) =>
    seenFrom(place, { fingerprint: `fp:${place}1` }, { fingerprint: `fp:${place}2` }),
  )
  assert.equal(comparePlaces(URL_SEEN, restless).verdict, 'varies')
  const local = ['AR', 'BR', 'CL'].flatMap((place) =>
    seenFrom(place, { fingerprint: `fp:${place}` }, { fingerprint: `fp:${place}` }),
  )
  assert.equal(comparePlaces(URL_SEEN, local).verdict, 'varies')
  const answers = [404, 403, 500].flatMap((status, i) => seenFrom(`P${i}`, { status }, { status }))
  assert.equal(comparePlaces(URL_SEEN, answers).verdict, 'varies')
})

test('a site that is down everywhere is the same everywhere', () => {
  const down = ['AR', 'BR', 'CL'].flatMap((place) =>
    seenFrom(place, failed('MINGA_CONNECT_REFUSED'), failed('MINGA_CONNECT_REFUSED')),
  )
  const finding = comparePlaces(URL_SEEN, down)
  assert.deepEqual([finding.verdict, finding.consensus], ['same', 'failed refused'])
})

test('the order in which observations come changes nothing', () => {
  const world = [...FREE, ...seenFrom('XX', { status: 403 }, { status: 403 })]
  const expected = comparePlaces(URL_SEEN, world)
  fc.assert(
    fc.property(fc.shuffledSubarray(world, { minLength: world.length }), (shuffled) => {
      assert.deepEqual(comparePlaces(URL_SEEN, shuffled), expected)
    }),
  )
})

test('a deviation is known since the first of the runs that found it without a break', () => {
  const free = comparePlaces(URL_SEEN, FREE)
  const blocked = comparePlaces(URL_SEEN, [
    ...FREE,
    ...seenFrom('XX', { status: 403 }, { status: 403 }),
  ])
  const runs = [blocked, free, blocked, blocked].map((finding, i) => ({
    no: i + 1,
    startedAt: i,
    endedAt: i,
    findings: [finding],
  }))
  const [flag] = flagsOf(runs)
  assert.equal(flag!.sinceRun, 3)
  assert.match(
    findingsText('Press', runs),
    /confirmed {4}XX {2}blocked: HTTP 403 .* \(since run 3\)/,
  )
  assert.equal(flagsOf([]).length, 0)
})

test('a table for spreadsheets holds no formula and no broken line', () => {
  const flag = {
    url: 'https://news.test/?a="1",2',
    place: '=HYPERLINK(1)',
    kind: 'content' as const,
    isConfirmed: true,
    says: 'two\nlines',
    consensus: 'ok',
    sinceRun: 1,
  }
  assert.equal(
    flagsCsv([flag]).split('\r\n')[1],
    `"https://news.test/?a=""1"",2",'=HYPERLINK(1),content,yes,1,ok,"two\nlines"`,
  )
})

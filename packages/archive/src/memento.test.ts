// Goal: dates and links are those of RFC 7089, at the ends of a history too. Method: examples written by
// hand, dates that are almost right, and a reader of links that knows nothing of the writer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  httpDate,
  mementoAddresses,
  mementoLinks,
  parseHttpDate,
  parseMementoTime,
  timeMapJson,
  timeMapLinks,
  type TimeMapPage,
} from './memento.ts'

const addresses = mementoAddresses('http://station.test')
const URL_R = 'http://a.test/page?x=1,2;y'
const at = (day: number): number => Date.UTC(2026, 0, day, 10, 20, 30)

/** Reads `<target>; name="value"; …, <target> …`. */
function readLinks(
  text: string,
): { target: string; rel: string[]; datetime: string | undefined }[] {
  return [...text.matchAll(/<([^>]*)>((?:;\s*\w+="[^"]*")*)/g)].map(([, target, rest]) => {
    const attributes = Object.fromEntries(
      [...rest!.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    ) as Record<string, string>
    return {
      target: target!,
      rel: attributes['rel']!.split(' '),
      datetime: attributes['datetime'],
    }
  })
}

test('every second has one date, which is read back as the same second', () => {
  const seconds = fc.integer({ min: 0, max: 4_102_444_800 })
  fc.assert(
    fc.property(seconds, (second) => {
      assert.equal(parseHttpDate(httpDate(second * 1_000)), second * 1_000)
    }),
    { seed: 7089 },
  )
})

test('dates that are almost dates are refused', () => {
  for (const wrong of [
    '',
    '2026-01-01T00:00:00Z',
    'Thu, 01 Jan 2026 00:00:00',
    'Thu, 01 Jan 2026 00:00:00 CET',
    'Thu, 01 Jan 2026 25:00:00 GMT',
    'Thu, 31 Feb 2026 00:00:00 GMT',
    'Thu, 1 Jan 2026 00:00:00 GMT',
    'thu, 01 jan 2026 00:00:00 gmt',
    'Thursday, 01-Jan-26 00:00:00 GMT',
  ]) {
    assert.equal(parseHttpDate(wrong), null, wrong)
  }
  assert.equal(parseHttpDate(' Thu, 01 Jan 2026 00:00:00 GMT '), Date.UTC(2026, 0, 1))
  assert.equal(parseMementoTime('2026'), null)
  assert.equal(parseMementoTime('20261301000000'), null)
  assert.equal(parseMementoTime('20260101000000'), Date.UTC(2026, 0, 1))
})

test('a memento names its original, its TimeGate, its TimeMap and its neighbours', () => {
  const place = {
    url: URL_R,
    first: at(1),
    previous: at(2),
    memento: at(3),
    next: at(4),
    last: at(9),
  }
  const links = readLinks(mementoLinks(addresses, place))
  const targetOf = (rel: string) => links.filter((link) => link.rel.includes(rel))
  assert.deepEqual(targetOf('original')[0]?.target, URL_R)
  assert.equal(targetOf('timegate')[0]?.target, `http://station.test/memento/timegate/${URL_R}`)
  assert.equal(targetOf('timemap')[0]?.target, `http://station.test/memento/timemap/link/${URL_R}`)
  for (const [rel, day] of Object.entries({ first: 1, prev: 2, next: 4, last: 9 })) {
    const [found] = targetOf(rel)
    assert.ok(found!.rel.includes('memento'))
    assert.equal(found!.target, `http://station.test/memento/2026010${day}102030/${URL_R}`)
    assert.equal(found!.datetime, httpDate(at(day)))
  }
  assert.equal(targetOf('memento').length, 5)
})

test('the only memento is first and last in one link', () => {
  const place = {
    url: URL_R,
    first: at(1),
    previous: null,
    memento: at(1),
    next: null,
    last: at(1),
  }
  const links = readLinks(mementoLinks(addresses, place))
  assert.deepEqual(
    links.filter(({ rel }) => rel.includes('memento')).map(({ rel }) => rel),
    [['first', 'last', 'memento']],
  )
})

test('a page of a TimeMap names its own span and where the other pages begin', () => {
  const page: TimeMapPage = {
    url: URL_R,
    moments: [at(3), at(4)],
    first: at(1),
    last: at(9),
    from: at(3),
    next: at(5),
  }
  const text = timeMapLinks(addresses, page)
  const links = readLinks(text)
  const maps = links.filter(({ rel }) => rel.includes('timemap')).map(({ target }) => target)
  const base = 'http://station.test/memento/timemap/link/'
  assert.deepEqual(maps, [`${base}${URL_R}`, `${base}20260105102030/${URL_R}`])
  assert.match(
    text,
    /rel="self"; type="application\/link-format"; from="Sat, 03 Jan.*until="Sun, 04/,
  )
  assert.equal(links.filter(({ rel }) => rel.includes('memento')).length, 2)
  const json = timeMapJson(addresses, page) as { next: string; mementos: { list: unknown[] } }
  assert.equal(json.mementos.list.length, 2)
  assert.equal(json.next, `http://station.test/memento/timemap/json/20260105102030/${URL_R}`)
})

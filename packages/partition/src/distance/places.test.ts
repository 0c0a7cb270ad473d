// Goal: hosts are placed by the best source there is, with a confidence that reflects disagreement.
// Method: hand-made records and names, and facts constructed to give a known matrix of agreement.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { agreementMatrix, countBySource } from './agreement.ts'
import {
  OperatorPlaces,
  claimsOf,
  locate,
  parseDnsLoc,
  type Gazetteer,
  type HostFacts,
  type PlaceClaim,
  type PlaceSource,
} from './locate.ts'
import { greatCircleKm, type Position } from './great-circle.ts'
import { NamePlaces } from './name-places.ts'
import { WELL_KNOWN_PLACES } from './places.ts'

const RUNS = { numRuns: 200, seed: 20_081_101 }
const PORTO = { lat: 41.15, lon: -8.61 }
const LISBON = { lat: 38.72, lon: -9.14 }
const TOKYO = { lat: 35.68, lon: 139.69 }

const known = new NamePlaces(WELL_KNOWN_PLACES)

const claimed = (source: PlaceSource, at: Position): PlaceClaim => ({ source, errorKm: 20, ...at })

test('LOC records are read as RFC 1876 writes them, with what they leave out', () => {
  assert.deepEqual(parseDnsLoc('42 21 54 N 71 06 18 W -24m 30m'), {
    lat: 42 + 21 / 60 + 54 / 3_600,
    lon: -(71 + 6 / 60 + 18 / 3_600),
    errorKm: 10,
  })
  assert.deepEqual(parseDnsLoc('  32 7 19.5 S 116 2 25 E 10.00m 1m 2000m 10m '), {
    lat: -(32 + 7 / 60 + 19.5 / 3_600),
    lon: 116 + 2 / 60 + 25 / 3_600,
    errorKm: 2,
  })
  assert.deepEqual(parseDnsLoc('52 N 5 E 0'), { lat: 52, lon: 5, errorKm: 10 })
})

test('what is no LOC record is no place, whatever it is', () => {
  for (const text of [
    '',
    '52 N',
    '91 N 5 E 0m',
    '52 60 N 5 E 0m',
    '52 N 181 E 0m',
    '52 5 0m',
    'here',
  ]) {
    assert.equal(parseDnsLoc(text), null, text)
  }
  fc.assert(
    fc.property(fc.string(), (text) => {
      const place = parseDnsLoc(text)
      assert.ok(place === null || Math.abs(place.lat) <= 90)
    }),
    RUNS,
  )
})

test('codes and cities in host names tell places, brands and common words do not', () => {
  const found = (host: string, kind: 'airport' | 'city'): string => {
    const place = known.find(host, kind)
    return place === null ? 'none' : `${place.lat} ${place.lon}`
  }
  assert.equal(found('xe-0-1.opo2.example.net', 'airport'), '41.15 -8.61')
  assert.equal(found('ae1-FRA3.core.example.net', 'airport'), '50.11 8.68')
  assert.equal(found('www.porto.example', 'city'), '41.15 -8.61')
  assert.equal(found('server1.lisboa.example.pt', 'city'), '38.72 -9.14')
  assert.equal(found('www.lis.example', 'airport'), 'none', 'the registered name may be anything')
  assert.equal(found('lis-opo.link.example.net', 'airport'), 'none', 'a link has two ends')
  assert.equal(found('www.cdn.example.net', 'airport'), 'none')
  assert.equal(found('list.example.net', 'airport'), 'none')
  assert.equal(found('', 'city'), 'none')
})

test('the list of an operator is read line by line, and the longest name that fits counts', () => {
  const places = new OperatorPlaces('places.txt', [
    '# name lat lon km',
    '*.example.org 38.72 -9.14 5',
    '*.north.example.org 41.15 -8.61',
    '192.0.2.7 35.68 139.69',
    'broken 1',
    'broken north south',
    'broken 91 0',
    'broken 1 2 99999',
    'a*b 1 2',
  ])
  assert.deepEqual(places.find('www.example.org', null), { ...LISBON, errorKm: 5 })
  assert.deepEqual(places.find('WWW.north.example.org', null), { ...PORTO, errorKm: 10 })
  assert.deepEqual(places.find('any.example', '192.0.2.7'), { ...TOKYO, errorKm: 10 })
  assert.equal(places.find('example.org', null), null)
  assert.deepEqual(
    places.faults.map(({ message }) => message.split(':')[0]),
    [5, 6, 7, 8, 9].map((line) => `places.txt, line ${line}`),
  )
  assert.ok(places.faults.every(({ code }) => code === 'MINGA_BAD_PLACE_LIST'))
})

test('the source with precedence is believed, more when others agree and less when they do not', () => {
  const alone = locate([claimed('city', PORTO)])
  const agreed = locate([claimed('city', PORTO), claimed('geoip', PORTO)])
  const torn = locate([claimed('city', PORTO), claimed('geoip', TOKYO)])
  for (const { place } of [alone, agreed, torn]) assert.equal(place!.source, 'city')
  assert.ok(Math.abs(alone.confidence - 0.75) < 1e-12, 'alone, a source is as sure as it is')
  assert.ok(agreed.confidence > alone.confidence && torn.confidence < alone.confidence)
  assert.deepEqual(agreed.agreeing, ['city', 'geoip'])
  assert.deepEqual(torn.dissenting, ['geoip'])
  assert.equal(locate([]).place, null)
  assert.equal(locate([]).confidence, 0)
})

test('a place that light refutes is passed over, and a host in several places has none', () => {
  const near = (agent: string, at: Position, rttMs: number) => ({ agent, at, rttMs, errorKm: 10 })
  const claims = [claimed('dns-loc', TOKYO), claimed('geoip', PORTO)]
  const found = locate(claims, [near('lisbon', LISBON, 6)])
  assert.equal(found.place!.source, 'geoip')
  assert.deepEqual(found.refuted, ['dns-loc'])
  const anycast = locate(claims, [near('lisbon', LISBON, 2), near('tokyo', TOKYO, 2)])
  assert.equal(anycast.place, null)
  assert.ok(anycast.anycast)
})

/** Pairs of sources: a, b, hosts that both place, coincident ones, mean distance in km over all. */
const STUDIED: readonly (readonly [PlaceSource, PlaceSource, number, number, number])[] = [
  ['dns-loc', 'institution', 1, 1, 0],
  ['operator', 'dns-loc', 6, 1, 224.36],
  ['operator', 'institution', 2, 2, 0],
  ['dns-loc', 'geoip', 137, 7, 1_709.14],
  ['airport', 'geoip', 162, 5, 2_059.79],
  ['city', 'geoip', 199, 41, 622.21],
  ['institution', 'geoip', 1_125, 521, 953.04],
  ['operator', 'geoip', 86, 4, 4_069.95],
]
/** How many hosts each source places in all; a fifth source, a list of known hosts, is not used. */
const STUDIED_TOTALS: Record<PlaceSource, number> = {
  'dns-loc': 160,
  airport: 213,
  city: 205,
  institution: 1_165,
  operator: 94,
  geoip: 9_731,
}

const ORIGIN: Position = { lat: 0, lon: 20 }
const KM_PER_DEGREE = (Math.PI * 6_371) / 180

/** Facts of one host that these sources place so far north of the origin, and the operator's line for it. */
class FactMaker {
  readonly facts: HostFacts[] = []
  readonly operatorLines: string[] = []

  add(placed: Partial<Record<PlaceSource, number>>): void {
    const host = `h${this.facts.length}`
    const north = (source: PlaceSource): Position | null => {
      const km = placed[source]
      return km === undefined ? null : { lat: ORIGIN.lat + km / KM_PER_DEGREE, lon: ORIGIN.lon }
    }
    const labels = (['airport', 'city', 'institution'] as const).filter(
      (kind) => placed[kind] !== undefined,
    )
    const names = { airport: 'org1', city: 'origin', institution: 'originlab' }
    const name = [host, ...labels.map((kind) => names[kind]), 'example', 'net'].join('.')
    const [operator, loc] = [north('operator'), north('dns-loc')]
    if (operator !== null) {
      this.operatorLines.push(`${name} ${operator.lat.toFixed(9)} ${operator.lon}`)
    }
    const dnsLoc = loc === null ? null : `${locAngle(loc.lat)} N ${loc.lon} 0 0 E 0m`
    this.facts.push({ host: name, address: null, dnsLoc, geoip: north('geoip') })
  }

  gazetteer(): Gazetteer {
    return {
      names: new NamePlaces([
        { kind: 'airport', name: 'org', ...ORIGIN },
        { kind: 'city', name: 'origin', ...ORIGIN },
        { kind: 'institution', name: 'originlab', ...ORIGIN },
      ]),
      operator: new OperatorPlaces('made', this.operatorLines),
    }
  }
}

/** Degrees, minutes and thousandths of seconds. */
function locAngle(degrees: number): string {
  const thousandths = Math.round(degrees * 3_600_000)
  const whole = Math.floor(thousandths / 3_600_000)
  const minutes = Math.floor((thousandths % 3_600_000) / 60_000)
  return `${whole} ${minutes} ${((thousandths % 60_000) / 1_000).toFixed(3)}`
}

test('Geolocation fusion: facts with known counts give their matrix of agreement', () => {
  const maker = new FactMaker()
  const left = { ...STUDIED_TOTALS }
  for (const [a, b, both, coincident, meanKm] of STUDIED) {
    const apartKm = both === coincident ? 0 : (meanKm * both) / (both - coincident)
    for (let n = 0; n < both; n++) {
      // The one that is not a name moves: names stand at the origin.
      const [still, moved] = b === 'geoip' || b === 'dns-loc' ? [a, b] : [b, a]
      maker.add({ [still]: 0, [moved]: n < coincident ? 0 : apartKm })
    }
    left[a] -= both
    left[b] -= both
  }
  for (const [source, count] of Object.entries(left)) {
    for (let n = 0; n < count; n++) maker.add({ [source]: 0 })
  }
  const gazetteer = maker.gazetteer()
  const claims = maker.facts.map((facts) => claimsOf(facts, gazetteer))
  assert.deepEqual(countBySource(claims), STUDIED_TOTALS)
  const matrix = agreementMatrix(claims)
  assert.equal(matrix.length, 15)
  for (const row of matrix) {
    const expected = STUDIED.find(([a, b]) => row.a === a && row.b === b)
    const [, , both, coincident, meanKm] = expected ?? [row.a, row.b, 0, 0, null]
    assert.deepEqual([row.both, row.coincident], [both, coincident], `${row.a} and ${row.b}`)
    if (meanKm === null) assert.deepEqual([row.meanKm, row.share], [null, null])
    else assert.ok(Math.abs(row.meanKm! - meanKm) < 0.5, `${row.meanKm} km, not ${meanKm}`)
  }
  const institution = matrix.find(({ a, b }) => a === 'institution' && b === 'geoip')!
  assert.equal((100 * institution.share!).toFixed(1), '46.3')
})

test('Geolocation fusion: made hosts are placed more rightly than by any source that knows as many', () => {
  const truths: Position[] = []
  const claimsByHost: PlaceClaim[][] = []
  let drawn = 1
  const uniform = (): number => (drawn = (drawn * 48_271) % 2_147_483_647) / 2_147_483_647
  const rightness = { 'dns-loc': [0.1, 0.95], city: [0.3, 0.85], geoip: [0.95, 0.5] } as const
  for (let n = 0; n < 2_000; n++) {
    const truth = { lat: 80 * uniform() - 40, lon: 300 * uniform() - 150 }
    truths.push(truth)
    const claims: PlaceClaim[] = []
    for (const [source, [knows, right]] of Object.entries(rightness)) {
      if (uniform() > knows) continue
      const isRight = uniform() < right
      const elsewhere = { lat: 80 * uniform() - 40, lon: 300 * uniform() - 150 }
      claims.push(claimed(source as PlaceSource, isRight ? truth : elsewhere))
    }
    claimsByHost.push(claims)
  }
  const placed = claimsByHost.map((claims) => locate(claims))
  const isRight = (at: Position | null, n: number): boolean =>
    at !== null && greatCircleKm(at, truths[n]!) < 50
  const fused = placed.filter(({ place }, n) => isRight(place, n)).length
  const geoip = claimsByHost.filter((claims, n) =>
    isRight(claims.find(({ source }) => source === 'geoip') ?? null, n),
  ).length
  assert.ok(fused > 1.15 * geoip, `${fused} by all, ${geoip} by one`)
  const sure = placed.flatMap((found, n) =>
    found.confidence > 0.9 ? [isRight(found.place, n)] : [],
  )
  const unsure = placed.flatMap((found, n) =>
    found.confidence < 0.5 ? [isRight(found.place, n)] : [],
  )
  const share = (rights: boolean[]): number => rights.filter(Boolean).length / rights.length
  assert.ok(sure.length > 100 && share(sure) > 0.9, `${share(sure)} of ${sure.length}`)
  assert.ok(
    unsure.length > 20 && share(unsure) < share(sure),
    `${share(unsure)} of ${unsure.length}`,
  )
})

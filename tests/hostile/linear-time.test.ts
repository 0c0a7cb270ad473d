// Goal: no page, header or file of a stranger takes more than linear time to read. Method: every exported parser gets
// runs of syntax characters, nesting and unclosed constructs of size n and 8n; the processor time, least of five, may
// grow sixteenfold at most. What is exported under the name of a parser must be in the list.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadMs } from '@minga/testkit'
import { NO_PARSERS, PARSERS, ROOMS, type Frame, type HostileParser } from './parsers.ts'

const SMALL_CHARS = 6_000
const GROWTH = 8
const GROWTH_MAX = 16
/** Below this a measurement is noise, and so fast that no size that we accept does harm. */
const NOTABLE_MS = 20
const ROUNDS = 5

const RUNS = [
  [',', ' ', ';', ':', '.', '=', '-', '%', '@', '*', '|', '\\', "'", '"', '&', '<', '>', '(', '['],
  [
    '{',
    '}',
    '/',
    '0',
    'a',
    '\n',
    '\r',
    '\r\n',
    '\t\n',
    'a ',
    'a, ',
    '""',
    '"",',
    '../',
    'a.',
    '1,1',
  ],
  ['&#', '&amp', '&lt;', '<!--', '<a ', '<a href="', '<div>', '</b>', '<item>', '<p>a', '<td><tr>'],
  [
    'url(',
    '/*',
    '@import ',
    '; charset=',
    '; rel="',
    '{"a":',
    '[[',
    '{{',
    '\nWARC/',
    'Disallow: /*a\n',
  ],
  [
    'User-agent: x\n',
    '<link rel="hub" href="1"/>',
    'a 1 b. ',
    'x=1&',
    "'--",
    '10:00 ',
    '%0d',
    '%0a%09',
  ],
].flat()

const VERBS =
  'parse|read|scan|find|decode|extract|discover|dechunk|diff|tokenise|compile|check|compare|guard|judge|split|unpack'
const NOUNS = 'header|media|redirect|canonical|normalise|trimmed|is[A-Z]\\w*In|last'
const ENDINGS = 'Fingerprint|Target|Modified|Type|Date|Text|In|InFile'
const SOUNDING = new RegExp(`^(?:${VERBS}|${NOUNS})(?=[A-Z]|$)|(?:${ENDINGS})$`)

test('every export that sounds like a parser is in the list, or named with a reason', () => {
  const listed = new Set([...Object.keys(PARSERS), ...Object.keys(NO_PARSERS)])
  const exported = Object.entries(ROOMS).flatMap(([room, exports]) =>
    Object.entries(exports)
      .filter(([name, value]) => typeof value === 'function' && SOUNDING.test(name))
      .map(([name]) => `${room}.${name}`),
  )
  assert.deepEqual(
    exported.filter((name) => !listed.has(name)),
    [],
  )
  assert.deepEqual(
    Object.keys(NO_PARSERS).filter((name) => !exported.includes(name)),
    [],
    'a reason for what is not exported any more',
  )
})

for (const [name, parser] of Object.entries(PARSERS)) {
  test(`${name} takes linear time on hostile input`, async () => {
    for (const frame of [['', 'x'] as const, ...(parser.frames ?? [])]) {
      for (const run of RUNS) await assertLinear(parser, frame, run)
    }
  })
}

async function assertLinear(
  { parse, chars = SMALL_CHARS }: HostileParser,
  [before, after]: Frame,
  run: string,
): Promise<void> {
  const hostile = (length: number): string =>
    before + run.repeat(Math.ceil(length / run.length)) + after
  const [small, large] = [hostile(chars), hostile(chars * GROWTH)]
  let [smallMs, largeMs] = [Infinity, Infinity]
  for (let round = 0; round < ROUNDS; round++) {
    largeMs = Math.min(largeMs, await busyMs(parse, large))
    if (largeMs < NOTABLE_MS) return
    // The clock of processor time may have steps of milliseconds: both sides are made as long.
    smallMs = Math.min(smallMs, (await busyMs(parse, small, GROWTH)) / GROWTH)
    if (largeMs <= GROWTH_MAX * smallMs) return
  }
  const figures = `${smallMs} ms, ${largeMs} ms for ${GROWTH} times as much`
  assert.fail(`${JSON.stringify([before, run, after])}: ${figures}`)
}

async function busyMs(parse: HostileParser['parse'], text: string, times = 1): Promise<number> {
  const beganMs = threadMs()
  for (let time = 0; time < times; time++) {
    // A refusal is a result as well: what counts is how soon it comes.
    await Promise.try(parse, text).catch(() => null)
  }
  return threadMs() - beganMs
}

// Goal: every event that is noted anywhere can be read in every language. Method: the catalogues are compared with the
// list of codes and their details, and sentences are made of them.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { EVENT_CODES, EVENT_DETAILS } from '@minga/protocol'
import { createFormat } from '../../format.ts'
import { sentenceOf, type Words } from './event-sentence.ts'

type Texts = Record<string, string>

const LANGUAGES = ['en', 'es', 'pt'] as const
const ROOT = join(import.meta.dirname, '../../../../..')

const catalogues = new Map(
  LANGUAGES.map((language) => {
    const file = join(import.meta.dirname, `../../locales/${language}/events.json`)
    const { events } = JSON.parse(readFileSync(file, 'utf8')) as {
      events: { sentence: Texts; word: Texts; code: Texts; context: Texts }
    }
    return [language, events]
  }),
)

function wordsIn(language: (typeof LANGUAGES)[number]): Words {
  const { sentence, word } = catalogues.get(language)!
  const rules = new Intl.PluralRules(language)
  return {
    format: createFormat(language),
    text: (key, count) => {
      const [, kind, name] = /^events\.(sentence|word)\.(.*)$/.exec(key) ?? []
      const texts = kind === 'sentence' ? sentence : kind === 'word' ? word : {}
      const plural = count === undefined ? undefined : texts[`${name}_${rules.select(count)}`]
      return plural ?? texts[name ?? ''] ?? null
    },
  }
}

const holesIn = (text: string): string[] =>
  [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name!)

/** Every combination of optional details. */
function choicesOf(names: readonly string[]): string[][] {
  return names.reduce<string[][]>(
    (choices, name) => [...choices, ...choices.map((choice) => [...choice, name])],
    [[]],
  )
}

test('every code has a name and its sentences in every language, and their holes are its details', () => {
  for (const [language, { sentence, code: names }] of catalogues) {
    const expected = new Set<string>()
    for (const code of EVENT_CODES) {
      const key = code.replace(':', '-')
      assert.ok(names[key], `${language} ${code} has no name`)
      const details: readonly string[] = EVENT_DETAILS[code]
      const always = details.filter((name) => !name.endsWith('?'))
      const sometimes = details
        .filter((name) => name.endsWith('?'))
        .map((name) => name.slice(0, -1))
      for (const choice of choicesOf(sometimes.toSorted())) {
        const whole = [key, ...choice].join('-with-')
        const told = always.includes('count') ? [`${whole}_one`, `${whole}_other`] : [whole]
        for (const one of told) {
          const holes = new Set(holesIn(sentence[one] ?? `nothing for ${one}`))
          holes.delete('subject')
          assert.deepEqual(
            [...holes].toSorted(),
            [...always, ...choice].toSorted(),
            `${language} ${one}`,
          )
        }
        expected.add(whole)
      }
    }
    const there = new Set(Object.keys(sentence).map((key) => key.replace(/_(one|many|other)$/, '')))
    assert.deepEqual([...there].toSorted(), [...expected].toSorted(), language)
  }
})

test('every code that is written anywhere in the sources is in the list', () => {
  const contexts = new Set(EVENT_CODES.map((code) => code.split(':')[0]))
  const known = new Set<string>(EVENT_CODES)
  const files = globSync('{apps,packages}/*/src/**/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts'] })
  const noted = files.flatMap((file) => {
    const code = readFileSync(join(ROOT, file), 'utf8')
    return [...code.matchAll(/\bcode: '([a-z]+:[a-z-]+)'/g)].map(([, name]) => name!)
  })
  const ours = noted.filter((code) => contexts.has(code.split(':')[0]))
  assert.ok(ours.length > 30)
  for (const code of ours) assert.ok(known.has(code), code)
})

test('the same event is described in three languages, each with its own format of numbers and words', () => {
  const event = {
    code: 'process:replaced',
    subject: 'lake-1',
    details: { role: 'worker', pid: 41_234, former: 41_230, awayMs: 2_340 },
  }
  assert.deepEqual(
    LANGUAGES.map((language) => sentenceOf(event, wordsIn(language))),
    [
      'The process 41234 (worker) replaced process 41230, which was down for 2.3 s.',
      'El proceso 41234 (trabajador) reemplazó al proceso 41230, que estuvo parado 2,3 s.',
      'O processo 41234 (trabalhador) substituiu o processo 41230, que esteve parado 2,3 s.',
    ],
  )
})

test('optional details change the sentence, and one differs from many', () => {
  const words = wordsIn('en')
  const closed = (more: object) =>
    sentenceOf(
      { code: 'host:closed', subject: 'a.test', details: { source: 'owner', ...more } },
      words,
    )
  assert.equal(closed({}), 'Nothing is fetched from it (site owner).')
  assert.equal(closed({ reason: 'Please.' }), 'Nothing is fetched from it (site owner): Please.')
  assert.match(closed({ others: 12, reason: 'x' })!, /and 12 more hosts\): x$/)
  const taken = (count: number) =>
    sentenceOf({ code: 'takedown:done', subject: 'a.test', details: { count } }, words)
  assert.deepEqual(
    [taken(1), taken(2)],
    ['1 capture was taken down.', '2 captures were taken down.'],
  )
})

test('what the page does not know is left to the station, and what strangers wrote is no text of ours', () => {
  const words = wordsIn('es')
  const of = (code: string, details: Record<string, string | number> | null) =>
    sentenceOf({ code, subject: 's', details }, words)
  assert.equal(of('station:invented', {}), null)
  assert.equal(of('setting:changed', null), null)
  assert.equal(of('setting:changed', {}), null)
  assert.equal(
    of('setting:changed', { value: '{{subject}} $t(events.title)' }),
    'El ajuste s vale {{subject}} $t(events.title) desde ahora.',
  )
})

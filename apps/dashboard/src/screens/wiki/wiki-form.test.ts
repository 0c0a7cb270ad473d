// Goal: what the user typed becomes the request they mean, and invalid values are reported at their field. Method:
// forms filled by hand, judged by the schema of the station.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wikiRequest } from '@minga/protocol'
import {
  EMPTY_WIKI,
  limitProblemsOf,
  limitsAsked,
  limitsTyped,
  wikiAsked,
  wikiProblemsOf,
} from './wiki-form.ts'

test('every choice becomes a request that the station takes', () => {
  const address = ' https://en.wikipedia.org/wiki/Llama '
  const ask = (part: object) => {
    const typed = { ...EMPTY_WIKI, address, ...part }
    assert.deepEqual(wikiProblemsOf(typed), {})
    return wikiRequest.parse(wikiAsked(typed))
  }
  assert.equal(ask({}).address, 'https://en.wikipedia.org/wiki/Llama')
  const pages = ask({ choice: 'pages', pages: 'Llama\n\n #42 \n1984' })
  assert.deepEqual([pages.pages, pages.pageIds], [['Llama', '1984'], [42]])
  const { categories } = ask({ choice: 'category', categories: 'Birds\nFish', depth: '2' })
  assert.deepEqual(categories, [
    { title: 'Birds', depth: 2 },
    { title: 'Fish', depth: 2 },
  ])
  assert.deepEqual(ask({ choice: 'namespaces', namespaces: '0, 4;4 10' }).namespaces, [0, 4, 10])
  assert.equal(ask({ choice: 'all' }).all, true)
  const limits = ask({ maxRequests: '5', maxMegabytes: '1,5', maxMinutes: '2', delaySeconds: '0' })
  assert.deepEqual(
    [limits.maxRequests, limits.maxBytes, limits.maxTimeS, limits.delayMs],
    [5, 1_500_000, 120, 0],
  )
  const flags = ask({ keepWarc: true, obeyRobots: true, volunteers: true, locale: 'ES' })
  assert.deepEqual(
    [flags.keepWarc, flags.robots, flags.volunteers, flags.locale],
    [true, 'obey', true, 'es'],
  )
})

test('what is left behind in a field of another choice is not asked for', () => {
  const asked = wikiAsked({ ...EMPTY_WIKI, choice: 'all', pages: 'Llama', categories: 'Birds' })
  assert.deepEqual([asked.pages, asked.categories], [[], []])
})

test('what cannot be meant is said at its field', () => {
  const wrong = (part: object) => wikiProblemsOf({ ...EMPTY_WIKI, address: 'x', ...part })
  assert.deepEqual(wikiProblemsOf(EMPTY_WIKI), { address: 'missing' })
  assert.deepEqual(wrong({ choice: 'pages' }), { pages: 'missing' })
  assert.deepEqual(wrong({ choice: 'category', depth: '11' }), {
    categories: 'missing',
    depth: 'number',
  })
  assert.deepEqual(wrong({ choice: 'namespaces', namespaces: 'Talk' }), { namespaces: 'number' })
  assert.deepEqual(wrong({ locale: 'e!' }), { locale: 'language' })
  assert.deepEqual(wrong({ maxRequests: '1.5', delaySeconds: '-1', inFlight: '4' }), {
    maxRequests: 'number',
    delaySeconds: 'number',
    inFlight: 'number',
  })
})

test('the limits of a task come back as they were typed', () => {
  const limits = { maxRequests: 7, maxBytes: 2_500_000, maxTimeS: null, delayMs: 500, inFlight: 1 }
  const typed = limitsTyped(limits)
  assert.deepEqual(limitProblemsOf(typed), {})
  assert.deepEqual(limitsAsked(typed), limits)
})

// Goal: what was typed becomes what the station is asked, and mistakes are seen first. Method: plain examples.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectionRequest } from '@minga/protocol'
import { EMPTY_FORM, problemsOf, requestOf, stepOf } from './collection-form.ts'

test('seeds are taken line by line, and a bare host name gets a scheme', () => {
  const seeds = ' https://a.example/x \n\nexample.org/docs\nftp://b.example/\nnonsense'
  assert.deepEqual(requestOf({ ...EMPTY_FORM, seeds }).seeds, [
    'https://a.example/x',
    'https://example.org/docs',
    'ftp://b.example/',
    'nonsense',
  ])
})

test('limits are turned into the units of the API and left out when empty', () => {
  const request = requestOf({
    ...EMPTY_FORM,
    delay: '0,25',
    maxPages: '50',
    maxMegabytes: '1.5',
    maxMinutes: '2',
  })
  assert.equal(request.delayMs, 250)
  assert.equal(request.maxPages, 50)
  assert.equal(request.maxBytes, 1_500_000)
  assert.equal(request.maxTimeS, 120)
  assert.equal(request.maxDepth, null)
})

test('a delay of zero is obeyed, as on the command line', () => {
  assert.equal(requestOf({ ...EMPTY_FORM, delay: '0' }).delayMs, 0)
})

test('missing seeds and impossible numbers are named by their field', () => {
  const values = { ...EMPTY_FORM, seeds: '\n ', delay: '', maxPages: '0', maxDepth: 'deep' }
  assert.deepEqual(problemsOf(values), { seeds: true, delay: true, maxPages: true, maxDepth: true })
  assert.deepEqual(problemsOf({ ...EMPTY_FORM, seeds: 'https://a.example/' }), {})
})

test('what the form begins with is what the API takes when nothing is said', () => {
  const seeds = ['https://a.example/']
  const typed = requestOf({ ...EMPTY_FORM, seeds: seeds[0]! })
  assert.deepEqual(collectionRequest.parse(typed), collectionRequest.parse({ seeds }))
})

test('rules and filters are JSON, and the first step with a mistake is the one to go back to', () => {
  const values = { ...EMPTY_FORM, seeds: 'https://a.example/', filter: '{', retries: '-1' }
  assert.deepEqual(problemsOf(values), { retries: true, filter: true })
  assert.equal(stepOf({ filter: true }), 1)
  assert.equal(stepOf({ retries: true }), 2)
  assert.equal(stepOf({ seeds: true, delay: true }), 0)
  assert.equal(stepOf({}), null)
  const rules = '{"table":"prices","rules":[]}'
  assert.deepEqual(requestOf({ ...values, extract: rules }).extract, JSON.parse(rules))
})

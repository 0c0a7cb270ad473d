// Goal: a check names every revisit that replay could not follow, and no other. Method: records of revisits next to
// tables that hold the response, another one, a revisit or nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CaptureRow } from '@minga/coordinator'
import { HeaderLines } from '../../../../../packages/archive/src/header-lines.ts'
import { wrongReference } from './verify-revisit.ts'

const AT = Date.UTC(2026, 0, 1, 0, 0, 0, 250)
const URL_OF_BOTH = 'http://a.test/'
const ID = '<urn:uuid:00000000-0000-4000-8000-000000000001>'
const digestOf = (digit: string): string => `sha256:${digit.repeat(64)}`

const row = (changes: Partial<CaptureRow> = {}): CaptureRow => ({
  id: 1,
  collectionId: 1,
  url: URL_OF_BOTH,
  capturedAt: AT,
  kind: 'response',
  status: 200,
  mime: 'text/html',
  digest: digestOf('1'),
  file: 'a.warc.gz',
  offset: 0,
  length: 1,
  recordId: ID,
  title: null,
  ...changes,
})

const REFERENCE = {
  'WARC-Refers-To': ID,
  'WARC-Refers-To-Target-URI': URL_OF_BOTH,
  'WARC-Refers-To-Date': new Date(AT).toISOString(),
}

async function codeOf(
  held: CaptureRow[],
  changes: { reference?: Record<string, string>; revisit?: Partial<CaptureRow> } = {},
): Promise<string | null> {
  const headers = new HeaderLines(Object.entries({ ...REFERENCE, ...changes.reference }))
  const revisit = row({ id: 9, kind: 'revisit', capturedAt: AT + 1_000, ...changes.revisit })
  const problem = await wrongReference(
    revisit,
    { headers },
    {
      capturesSince: async (_, at) => held.filter(({ capturedAt }) => capturedAt >= at),
    },
  )
  return problem && [problem.severity ?? 'error', problem.code].join(' ')
}

test('a revisit of the response with its payload is right, with or without an identifier', async () => {
  assert.equal(await codeOf([row()]), null)
  assert.equal(await codeOf([row({ recordId: null })]), null)
  assert.equal(await codeOf([row({ kind: 'revisit', id: 2 }), row()]), null)
})

test('dates of WARC/1.0, which end with the second, are understood', async () => {
  const reference = { 'WARC-Refers-To-Date': '2026-01-01T00:00:00Z' }
  assert.equal(await codeOf([row()], { reference }), null)
})

test('a revisit of a revisit is found', async () => {
  assert.equal(await codeOf([row({ kind: 'revisit' })]), 'error revisit-of-revisit')
})

test('a revisit of a response with another payload or identifier is found', async () => {
  assert.equal(await codeOf([row({ digest: digestOf('2') })]), 'error revisit-wrong')
  assert.equal(await codeOf([row({ recordId: '<urn:uuid:another>' })]), 'error revisit-wrong')
})

test('a revisit of nothing is found; of an imported file it is a warning', async () => {
  assert.equal(await codeOf([]), 'error revisit-dangling')
  assert.equal(await codeOf([row({ capturedAt: AT + 5_000 })]), 'error revisit-dangling')
  const reference = { 'WARC-Refers-To-Date': 'yesterday' }
  assert.equal(await codeOf([row()], { reference }), 'error revisit-dangling')
  assert.equal(await codeOf([], { revisit: { collectionId: 0 } }), 'warning revisit-dangling')
})

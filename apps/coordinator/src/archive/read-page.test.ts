// Goal: the record of a visit that unpacks to tens of megabytes does not stop the station while its
// page is read. Method: such a record, and the turns that the main loop has in the meantime.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeRecord } from '@minga/archive'
import type { CapturedResult } from '@minga/protocol'
import { recordedCapture } from '../../test/station-fixture.ts'
import { pageOf } from './read-page.ts'

const url = 'http://a.test/'
const PAGE_BYTES = 60 * 1024 * 1024

test('a record of 60 MB is unpacked off the main thread', async () => {
  const { result } = recordedCapture({ url, kind: 'page' }, { body: 'small' })
  const head = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n')
  const member = encodeRecord({
    type: 'response',
    headers: [['WARC-Target-URI', url]],
    block: [head, Buffer.alloc(PAGE_BYTES, 'a page ')],
  })
  let turns = 0
  const turning = setInterval(() => (turns += 1), 1)
  const parts = { store: null as never, data: '' }
  const page = await pageOf(parts, { result: result as CapturedResult, member })
  clearInterval(turning)
  assert.equal(page?.url, url)
  assert.ok(turns > 10, `${turns} turns`)
})

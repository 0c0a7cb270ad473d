// Goal: the command says who reads a collection and changes it. Method: the real command on a folder with a collection.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runMinga } from '../../test/commands/minga-fixture.ts'

test('share sets who reads a collection and shows it', async (t) => {
  const data = await mkdtemp(join(tmpdir(), 'minga-share-'))
  t.after(() => rm(data, { recursive: true }))
  const minga = (...args: string[]) => runMinga([...args, '--data', data])
  const web = createServer((_request, response) => response.end('a page')).listen(0, '127.0.0.1')
  await once(web, 'listening')
  t.after(() => web.close())
  const { port } = web.address() as AddressInfo
  const crawl = ['crawl', `http://127.0.0.1:${port}/`, '--scope', 'page', '--no-sitemaps']
  await minga(...crawl, '--delay', '0', '--allow-private-addresses')
  const set = await minga('share', 'collection', '1', '--visibility', 'private', '--json')
  assert.equal(set.code, 0, set.err)
  const { visibility, sharedWith } = JSON.parse(set.out) as Record<string, unknown>
  assert.deepEqual([visibility, sharedWith], ['private', []])
  const shown = await minga('share', 'collection', '1')
  assert.equal(shown.out, 'private: read by its owner and operators\n')
})

// Goal: TXT records as they are now, and a clear result when there are none or no server answers.
// Method: a name server on loopback, and a port without a listener.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestDns } from '../../test/dns-fixture.ts'
import { createTxtLookup } from './txt-lookup.ts'

test('records are joined from their parts, fresh at every question, and none is an answer', async () => {
  const dns = await startTestDns()
  const txt = createTxtLookup({ servers: [dns.server] })
  const long = 'x'.repeat(600)
  dns.txt.set('a.example.org', ['one', long])
  assert.deepEqual(await txt('a.example.org'), { ok: true, records: ['one', long] })
  dns.txt.set('a.example.org', ['two'])
  assert.deepEqual(await txt('a.example.org'), { ok: true, records: ['two'] })
  dns.txt.set('a.example.org', [])
  assert.deepEqual(await txt('a.example.org'), { ok: true, records: [] })
  assert.deepEqual(await txt('none.example.org'), { ok: true, records: [] })
  await dns.close()
})

test('a server that does not answer, and a name that is none, are said and not thrown', async () => {
  const dns = await startTestDns()
  await dns.close()
  const txt = createTxtLookup({ servers: [dns.server], timeoutMs: 50 })
  const answer = await txt('a.example.org')
  assert.equal(answer.ok, false)
  assert.match(JSON.stringify(answer), /Looking up the TXT records of a\.example\.org failed/)
  assert.equal((await txt('x'.repeat(300))).ok, false)
})

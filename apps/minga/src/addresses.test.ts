// Goal: an address is made whole and judged before anything is opened for it. Method: the functions themselves, and
// the guard of the station on any address.
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { guardUrl } from '@minga/net'
import * as fc from 'fast-check'
import { isPlain, requireAllowed, typedAddresses, typedBatch } from './addresses.ts'

const data = join(tmpdir(), 'minga-no-such-folder')

test('an address without a scheme is one of https', () => {
  assert.deepEqual(typedAddresses('crawl', ['example.org', ' a.test:8080/x ', 'http://b.test']), [
    'https://example.org/',
    'https://a.test:8080/x',
    'http://b.test/',
  ])
})

test('what is no address is refused with what was expected', () => {
  for (const text of ['', 'notaurl', 'ftp://a.test/', 'javascript:1']) {
    assert.throws(() => typedAddresses('crawl', ['https://a.test/', text]), /crawl takes addresses/)
  }
  assert.throws(() => typedBatch('request', ['notaurl']), /request takes addresses/)
  assert.throws(() => typedBatch('request', ['a.test', '']), /request takes addresses/)
  assert.deepEqual(typedBatch('request', ['a.test', 'notaurl']), ['https://a.test', 'notaurl'])
})

test('a private address names the flag, a forbidden port is named and has no flag', async () => {
  const refused = (url: string, allowPrivateAddresses = false): Promise<void> =>
    requireAllowed([url], { data, allowPrivateAddresses })
  await assert.rejects(refused('http://127.0.0.1/'), {
    code: 'MINGA_ADDRESS_REFUSED',
    message: /127\.0\.0\.1 is a loopback address.*need --allow-private-addresses/,
  })
  await assert.rejects(refused('http://127.0.0.1:1/', true), (error: Error) => {
    return /port 1 is not allowed/.test(error.message) && !error.message.includes('--allow')
  })
  await refused('http://127.0.0.1:8080/', true)
  await refused('https://example.org/')
})

test('an address that looks plain is never one that the guard refuses', () => {
  const hosts = fc.oneof(fc.domain(), fc.ipV4(), fc.constantFrom('localhost', 'a.local', 'x.onion'))
  const rest = fc.constantFrom('/', ':22/', ':8443/x', '/p?q=1', '.')
  fc.assert(
    fc.property(hosts, rest, (host, after) => {
      const url = `http://${host}${after}`
      if (isPlain(url)) assert.equal(guardUrl(url, { allowPrivateAddresses: false }), null, url)
    }),
  )
})

// Goal: no spelling of a forbidden address passes the guard, and ordinary web sites do.
// Method: both ends of every IANA block, tricks that URL parsers undo, properties on random bytes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { addressBytes, classifyAddress, type AddressClass } from './address-class.ts'
import { guardAddress, guardUrl } from './address-guard.ts'

const RUNS = process.env['MINGA_LONG'] === '1' ? 200_000 : 3_000
const OPEN = { allowPrivateAddresses: false }
const PRIVATE = { allowPrivateAddresses: true }

/** First and last address of each block, as the IANA registries list them. */
const BLOCKS: [string, string, AddressClass][] = [
  ['0.0.0.1', '0.255.255.255', 'reserved'],
  ['0.0.0.0', '0.0.0.0', 'unspecified'],
  ['10.0.0.0', '10.255.255.255', 'private'],
  ['100.64.0.0', '100.127.255.255', 'cgnat'],
  ['127.0.0.0', '127.255.255.255', 'loopback'],
  ['169.254.0.0', '169.254.255.255', 'link-local'],
  ['172.16.0.0', '172.31.255.255', 'private'],
  ['192.0.0.0', '192.0.0.255', 'reserved'],
  ['192.0.2.0', '192.0.2.255', 'documentation'],
  ['192.31.196.0', '192.31.196.255', 'reserved'],
  ['192.52.193.0', '192.52.193.255', 'reserved'],
  ['192.88.99.0', '192.88.99.255', '6to4'],
  ['192.168.0.0', '192.168.255.255', 'private'],
  ['192.175.48.0', '192.175.48.255', 'reserved'],
  ['198.18.0.0', '198.19.255.255', 'reserved'],
  ['198.51.100.0', '198.51.100.255', 'documentation'],
  ['203.0.113.0', '203.0.113.255', 'documentation'],
  ['224.0.0.0', '239.255.255.255', 'multicast'],
  ['240.0.0.0', '255.255.255.254', 'reserved'],
  ['255.255.255.255', '255.255.255.255', 'broadcast'],
  ['::', '::', 'unspecified'],
  ['::1', '::1', 'loopback'],
  ['::ffff:0.0.0.0', '::ffff:255.255.255.255', 'mapped'],
  ['::2', '::255.255.255.255', 'mapped'],
  ['64:ff9b::', '64:ff9b::255.255.255.255', 'nat64'],
  ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', 'nat64'],
  ['100::', '100::ffff:ffff:ffff:ffff', 'reserved'],
  ['100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff', 'reserved'],
  ['2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff', 'teredo'],
  ['2001:1::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', 'reserved'],
  ['2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff', 'reserved'],
  ['2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff', 'reserved'],
  ['2001:20::', '2001:3f:ffff:ffff:ffff:ffff:ffff:ffff', 'reserved'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', 'documentation'],
  ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '6to4'],
  ['2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff', 'reserved'],
  ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', 'documentation'],
  ['5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'reserved'],
  ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'unique-local'],
  ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'link-local'],
  ['fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'private'],
  ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'multicast'],
  ['::ffff:0:7f00:1', '::ffff:0:7f00:1', 'reserved'],
  ['4000::', '5eff::', 'reserved'],
]

test('both ends of every special-purpose block are known', () => {
  for (const [first, last, kind] of BLOCKS) {
    assert.equal(classifyAddress(first), kind, first)
    assert.equal(classifyAddress(last), kind, last)
  }
})

test('the neighbours of the blocks are public', () => {
  const neighbours = [
    ['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
    [
      '128.0.0.0',
      '169.253.255.255',
      '169.255.0.0',
      '172.15.255.255',
      '172.32.0.0',
      '191.255.255.255',
    ],
    ['192.0.1.0', '192.0.3.0', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0'],
    [
      '223.255.255.255',
      '8.8.8.8',
      '2001:200::',
      '2001:4860:4860::8888',
      '2003::',
      '2606:4700::1111',
    ],
    ['2000::', '3ffe::', '2620:4f:7fff::', '3fff:1000::'],
  ].flat()
  for (const ip of neighbours) assert.equal(classifyAddress(ip), 'public', ip)
})

test('what is no address is never public', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      if (addressBytes(text) === null) assert.equal(classifyAddress(text), 'reserved')
    }),
    { numRuns: RUNS },
  )
  for (const odd of ['', '1.2.3', '0x7f.0.0.1', '127.1', '2130706433', '[::1]', '1.2.3.4.5', 'é']) {
    assert.equal(classifyAddress(odd), 'reserved', odd)
  }
  assert.equal(classifyAddress('fe80::1%eth0'), 'link-local')
})

test('every spelling of an IPv6 address has the same bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      const groups = Array.from({ length: 8 }, (_, i) =>
        (((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0)).toString(16),
      )
      const long = groups.map((group) => group.padStart(4, '0')).join(':')
      const short = new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1)
      const dotted = `${groups.slice(0, 6).join(':')}:${bytes.slice(12).join('.')}`
      for (const text of [long, long.toUpperCase(), short, dotted]) {
        assert.deepEqual(addressBytes(text), bytes, text)
      }
    }),
    { numRuns: RUNS },
  )
})

test('no IPv4 address reaches the public class through IPv6', () => {
  const ipv4 = fc.ipV4()
  fc.assert(
    fc.property(ipv4, (ip) => {
      for (const prefix of ['::ffff:', '::', '64:ff9b::', '64:ff9b:1::', '2002::', '2001::']) {
        assert.notEqual(classifyAddress(prefix + ip), 'public')
        assert.notEqual(guardAddress(prefix + ip, OPEN), null)
      }
    }),
    { numRuns: RUNS },
  )
})

const REFUSED = [
  [
    'http://127.0.0.1/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://127.1/',
  ],
  ['http://[::1]/', 'http://[::ffff:7f00:1]/', 'http://[::ffff:127.0.0.1]/', 'http://[::]/'],
  ['http://0/', 'http://0.0.0.0/', 'http://10.1.2.3/', 'http://169.254.169.254/latest/meta-data/'],
  [
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
  ],
  [
    'http://１２７.０.０.１/',
    'http://127。0。0。1/',
    'http://%31%32%37.0.0.1/',
    'http://127.0.0.1./',
  ],
  ['http://localhost/', 'http://LOCALHOST./', 'http://a.localhost/', 'http://printer.local/'],
  ['http://metadata.google.internal/', 'http://internal/', 'http://x.onion/', 'http://224.0.0.1/'],
  ['http://user@example.com/', 'http://:pw@example.com/', 'http://user:pw@example.com/'],
  ['ftp://example.com/', 'file:///etc/passwd', 'javascript:1', 'gopher://a/', 'nonsense', ''],
  [
    'http://example.com:22/',
    'http://example.com:25/',
    'http://example.com:6379/',
    'http://example.com:81/',
  ],
  ['http://example.com:6000/', 'http://example.com:0/', 'http://example.com:10080/'],
].flat()

test('forbidden targets are refused in every spelling', () => {
  for (const url of REFUSED) {
    const refusal = guardUrl(url, OPEN)
    assert.equal(refusal?.code, 'MINGA_ADDRESS_REFUSED', url)
    assert.ok(refusal.reason.length > 0)
  }
})

test('ordinary web sites pass', () => {
  const urls = [
    [
      'http://example.com/',
      'https://example.com/',
      'http://example.com:8080/',
      'https://a.test:8443/',
    ],
    [
      'http://example.com:3000/',
      'http://8.8.8.8/',
      'http://[2606:4700::1111]/',
      'http://notlocalhost/',
    ],
    ['http://local.example.com/', 'http://internal.example.com/', 'http://mylocal/'],
  ].flat()
  for (const url of urls) assert.equal(guardUrl(url, OPEN), null, url)
  assert.equal(guardUrl(new URL('http://example.com/'), OPEN), null)
})

test('permission for private addresses opens intranets and nothing more', () => {
  for (const url of [
    'http://127.0.0.1:81/',
    'http://10.0.0.1:9200/',
    'http://[fd00::1]/',
    'http://localhost/',
    'http://a.local/',
    'http://100.64.0.1/',
  ]) {
    assert.equal(guardUrl(url, PRIVATE), null, url)
  }
  const closed = [
    'http://224.0.0.1/',
    'http://0.0.0.0/',
    'http://255.255.255.255/',
    'http://[ff02::1]/',
  ]
  closed.push('http://[::]/', 'http://169.254.169.254/', 'http://127.0.0.1:22/', 'http://x.onion/')
  closed.push('http://[::ffff:127.0.0.1]/', 'http://u:p@127.0.0.1/')
  for (const url of closed) assert.notEqual(guardUrl(url, PRIVATE), null, url)
})

test('a list of ports replaces the default, but never opens a bad one', () => {
  const policy = { allowPrivateAddresses: false, allowedPorts: [80, 22, 81] }
  assert.equal(guardUrl('http://example.com/', policy), null)
  assert.equal(guardUrl('http://example.com:81/', policy), null)
  assert.notEqual(guardUrl('https://example.com/', policy), null)
  assert.notEqual(guardUrl('http://example.com:22/', policy), null)
})

test('the guard answers for any text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.webUrl(), fc.ipV6()), (text) => {
      guardUrl(text, OPEN)
      guardAddress(text, PRIVATE)
    }),
    { numRuns: RUNS },
  )
})

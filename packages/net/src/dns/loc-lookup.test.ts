// Goal: the place that a name's owner wrote into DNS, as text, and a clear result when there is
// none or no server answers. Method: a name server on loopback with records in bytes, one that
// sends forged answers, and a closed port.
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test } from 'node:test'
import { systemClock } from '@minga/protocol'
import { startTestDns } from '../../test/dns-fixture.ts'
import { createLocLookup } from './loc-lookup.ts'

const MIDDLE = 2 ** 31

/** RFC 1876, 2: the version, three sizes, latitude, longitude, altitude. */
function locRecord(lat: number, lon: number, altitudeCm = 10_000_000): Buffer {
  const data = Buffer.from([0, 0x12, 0x16, 0x13, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  data.writeUInt32BE(MIDDLE + lat, 4)
  data.writeUInt32BE(MIDDLE + lon, 8)
  data.writeUInt32BE(altitudeCm, 12)
  return data
}

test('a LOC record becomes the text that name servers write, on all four quarters of the Earth', async () => {
  const dns = await startTestDns()
  const lookup = createLocLookup({ clock: systemClock, servers: [dns.server] })
  // Cambridge, Massachusetts, as in RFC 1876: 42 21 54 N 71 06 18 W -24m 30m.
  dns.loc.set('cambridge.example', locRecord(152_514_000, -255_978_000, 9_997_600))
  dns.loc.set('perth.example', locRecord(-115_200_500, 417_600_000))
  assert.deepEqual(await lookup('cambridge.example'), {
    ok: true,
    loc: '42 21 54.000 N 71 6 18.000 W -24.00m 1.00m 10000.00m 10.00m',
  })
  assert.deepEqual(await lookup('Perth.Example.'), {
    ok: true,
    loc: '32 0 0.500 S 116 0 0.000 E 0.00m 1.00m 10000.00m 10.00m',
  })
  assert.deepEqual(await lookup('nowhere.example'), { ok: true, loc: null })
  assert.deepEqual(await lookup('no name'), { ok: true, loc: null }, 'no server is asked')
  assert.deepEqual(dns.asked, ['cambridge.example', 'perth.example', 'nowhere.example'])
  await dns.close()
})

test('a server that keeps silent, answers another question or half a record is a failure', async () => {
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const other = Buffer.from(query)
    other.writeUInt16BE((query.readUInt16BE(0) + 1) & 0xff_ff, 0)
    socket.send(other, from.port, from.address)
    const half = Buffer.from(query)
    half.writeUInt16BE(0x81_80, 2)
    half.writeUInt16BE(1, 6)
    if (query.includes('half')) socket.send(Buffer.concat([half, Buffer.from([0xc0])]), from.port)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const servers = [`127.0.0.1:${socket.address().port}`]
  const lookup = createLocLookup({ clock: systemClock, servers, timeoutMs: 60 })
  for (const name of ['silent.example', 'half.example']) {
    assert.deepEqual(await lookup(name), { ok: false, code: 'MINGA_DNS_FAILED' })
  }
  socket.close()
})

test('the second server is asked when the first is not there', async () => {
  const [gone, dns] = [await startTestDns(), await startTestDns()]
  await gone.close()
  dns.loc.set('a.example', locRecord(0, 0))
  const servers = [gone.server, dns.server]
  const lookup = createLocLookup({ clock: systemClock, servers, timeoutMs: 100 })
  const answer = await lookup('a.example')
  assert.ok(answer.ok && answer.loc?.startsWith('0 0 0.000 N 0 0 0.000 E 0.00m'))
  await dns.close()
})

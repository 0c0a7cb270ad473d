// Goal: who only names a member of a federation cannot fill a station's memory with bodies. Method: two stations over
// real HTTP, and bodies of 100 MB over raw sockets, with the names of a member and signatures of others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDeviceKeys, STATION_HEADERS, stationProof } from '@minga/protocol'
import { sendLargeBody } from '../../test/http/request-limits/large-body-fixture.ts'
import { TestFederation } from '../../test/federation/federation-fixture.ts'
import { identityOf } from './calls/station-keys.ts'

const MB = 1024 * 1024
const PATHS = ['/federation/batch', '/federation/claim', '/federation/graph', '/federation/renew']

test('large bodies of callers who only name a member are refused before they are received', async () => {
  const federation = new TestFederation()
  const [lima, quito] = await federation.found(['lima', 'quito'])
  const [to, from] = [lima!, quito!].map((station) => station.federation.requireView().self)
  const stranger = identityOf(newDeviceKeys())
  const port = Number(new URL(lima!.federation.url!).port)
  const digest = 'f'.repeat(64)
  const nonce = 'nonce'
  const timeMs = lima!.clock.now()
  for (const path of PATHS) {
    const call = { method: 'POST', path, from: from!, to: to!, timeMs, nonce, digest }
    const headers = {
      'Content-Type': 'application/octet-stream',
      [STATION_HEADERS.from]: from!,
      [STATION_HEADERS.to]: to!,
      [STATION_HEADERS.time]: String(timeMs),
      [STATION_HEADERS.nonce]: nonce,
      [STATION_HEADERS.signature]: stranger.sign(stationProof(call)),
    }
    for (const more of [{}, { [STATION_HEADERS.digest]: digest }]) {
      const sent = await sendLargeBody(port, path, {
        isChunked: true,
        headers: { ...headers, ...more },
      })
      assert.match(sent.answer, /^HTTP\/1\.1 403 .*MINGA_STATION_CALL_REFUSED/s)
      assert.ok(sent.bytes < 12 * MB, `${path} received ${sent.bytes} bytes`)
    }
  }
})

// Goal: what a worker sends, its key above all, reaches its station and no other server. Method:
// two servers on loopback, of which one redirects its callers to the other.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { postJson } from './station-calls.ts'

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

for (const status of [302, 307, 308]) {
  test(`a redirect of the station with ${status} is not followed, and can be tried again`, async (t) => {
    let calls = 0
    const elsewhere = await serve(t, (_request, response) => {
      calls++
      response.end('{}')
    })
    const url = await serve(t, (_request, response) => {
      response.writeHead(status, { location: `${elsewhere}/worker/lease` }).end()
    })
    const asking = { body: { secret: 'rows' }, signal: AbortSignal.timeout(5_000) }
    await assert.rejects(postJson({ url, token: 'a-key' }, '/worker/lease', asking), {
      retry: 'later',
      message: /a redirect to .*not followed/,
    })
    assert.equal(calls, 0)
  })
}

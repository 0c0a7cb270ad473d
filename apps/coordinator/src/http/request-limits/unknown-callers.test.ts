// Goal: one address cannot take all places of a station with requests that never end, unless the station knows the
// caller. Method: a whole station, and sockets whose requests stay open.
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { openStation, TOKENS } from '../../../test/station-fixture.ts'

const sockets: Socket[] = []
after(() => sockets.forEach((socket) => socket.destroy()))

test('an address has 256 open requests before it says who it is, and gets them back', async () => {
  const { app } = await openStation()
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const requests: unknown[] = []
  app.server.on('request', (request) => requests.push(request))
  const hold = async (count: number, path: string, headers: string): Promise<void> => {
    const all = requests.length + count
    for (let i = 0; i < count; i++) {
      const socket = connect(port, '127.0.0.1')
      sockets.push(socket)
      const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nVia: 1.1 proxy\r\n${headers}`
      socket.write(`${head}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{`)
    }
    while (requests.length < all) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const ask = (headers: Record<string, string>): Promise<Response> =>
    fetch(`http://localhost:${port}/api/openapi.json`, { method: 'HEAD', headers })
  await hold(200, '/api/collections/check', `Authorization: Bearer ${TOKENS.apiKey}\r\n`)
  assert.equal((await ask({ via: '1.1 proxy' })).status, 200, 'known callers are not counted')
  await hold(256, '/api/sessions', '')
  const refused = await ask({ via: '1.1 proxy' })
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1'])
  assert.equal((await ask({})).status, 200, 'this machine itself has more places')
  for (const socket of sockets) socket.destroy()
  for (let tries = 0; tries < 4_000; tries++) {
    if ((await ask({ via: '1.1 proxy' })).status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  assert.fail('requests that were given up still count')
})

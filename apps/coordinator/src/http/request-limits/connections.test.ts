// Goal: one address cannot take all connections. Method: a server that counts its own machine like any other, and more
// sockets than it allows.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { test } from 'node:test'
import { limitConnections } from './connections.ts'
import { isLoopback } from './forwarded.ts'

test('a connection beyond the limit of its address is closed, and one that ends makes room', async (t) => {
  const server = createServer()
  limitConnections(server, 2, () => false)
  server.on('connection', (socket) => !socket.destroyed && socket.write('hello'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const open = async (): Promise<[Socket, boolean]> => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    t.after(() => socket.destroy())
    const isServed = await Promise.race([
      once(socket, 'data').then(() => true),
      once(socket, 'close').then(() => false),
    ])
    return [socket, isServed]
  }
  t.after(() => server.close())
  const [first, isFirstServed] = await open()
  assert.deepEqual([isFirstServed, (await open())[1], (await open())[1]], [true, true, false])
  first.destroy()
  while (!(await open())[1]);
})

test('callers on the same machine are not counted: a proxy there has the connections of everyone', () => {
  assert.deepEqual(['127.0.0.1', '::1', '::ffff:127.0.0.2', '192.0.2.1'].map(isLoopback), [
    true,
    true,
    true,
    false,
  ])
})

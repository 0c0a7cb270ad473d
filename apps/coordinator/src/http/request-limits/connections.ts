/** How many connections one address may hold: each costs a file descriptor, and all of them together are limited. */
import type { Server } from 'node:net'
import { placeOf } from './rate-limits.ts'
import { isLoopback } from './forwarded.ts'

/** A university behind one address, with agents and browsers that keep theirs open. */
const PER_ADDRESS_MAX = 1_024

/** Those of this machine are not counted: a proxy on it has the connections of everyone. */
export function limitConnections(
  server: Server,
  most = PER_ADDRESS_MAX,
  exempt = isLoopback,
): void {
  const open = new Map<string, number>()
  server.on('connection', (socket) => {
    const address = socket.remoteAddress
    if (address === undefined || exempt(address)) return
    const place = placeOf(address)
    const here = open.get(place) ?? 0
    if (here >= most) return void socket.destroy()
    open.set(place, here + 1)
    socket.once('close', () => {
      const left = open.get(place)! - 1
      if (left === 0) open.delete(place)
      else open.set(place, left)
    })
  })
}

/**
 * A line from somewhere else: the volunteers of the demo are on this machine, but each calls the station
 * through a line of its own, which arrives from an address of its own on loopback. The demo's file of countries
 * says where these addresses are, and the station finds its volunteers in several countries as it always does.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'

export interface Line {
  /** What the volunteer calls instead of the station. */
  url: string
  close(): void
}

/** `from` is an address of this machine that the station sees; where the system lends none, its usual one. */
export async function openLine(station: string, from: string): Promise<Line> {
  const { hostname, port, protocol } = new URL(station)
  const isLent = await isAddressLent(from)
  const far = { host: hostname, port: Number(port), ...(isLent ? { localAddress: from } : {}) }
  const open = new Set<Socket>()
  const server = createServer((near) => {
    open.add(near)
    near.once('close', () => open.delete(near))
    join(near, connect(far))
  })
  const local = await listen(server, '127.0.0.1')
  const close = (): void => {
    server.close()
    for (const socket of open) socket.destroy()
  }
  return { url: `${protocol}//127.0.0.1:${local}`, close }
}

/** Linux lends all of loopback, others only its first address. */
async function isAddressLent(address: string): Promise<boolean> {
  const probe = createServer()
  try {
    await listen(probe, address)
    return true
  } catch {
    return false
  } finally {
    probe.close()
  }
}

/** A line that breaks at one end breaks at the other. */
function join(near: Socket, far: Socket): void {
  near.pipe(far).pipe(near)
  near.on('error', () => far.destroy())
  far.on('error', () => near.destroy())
  near.once('close', () => far.destroy())
  far.once('close', () => near.destroy())
}

function listen(server: Server, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, address, () => {
      // The demo must not keep the station's process alive by itself.
      server.unref()
      const bound = server.address()
      resolve(typeof bound === 'object' && bound !== null ? bound.port : 0)
    })
  })
}

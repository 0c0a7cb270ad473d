/** Servers and fetchers for the fetch tests: real sockets on loopback, closed when the test ends. */
import net from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { systemClock } from '@minga/protocol'
import { createFetcher, DEFAULT_LIMITS } from '../../src/http/http-fetch.ts'
import type { Fetcher, FetcherOptions, FetchLimits } from '../../src/http/http-fetch.ts'

export interface RawServer {
  port: number
  /** Request heads in the order they arrived, over all connections. */
  requests: string[]
  connections: number
}

/** Answers each request head by `answer`, which may write anything at all. */
export async function rawServer(
  t: TestContext,
  answer: (socket: Socket, head: string, nth: number) => void,
): Promise<RawServer> {
  const state: RawServer = { port: 0, requests: [], connections: 0 }
  const server = net.createServer((socket) => {
    state.connections++
    let pending = ''
    socket.on('error', () => {})
    socket.on('data', (data: Buffer) => {
      pending += data.toString('latin1')
      for (let end = pending.indexOf('\r\n\r\n'); end !== -1; end = pending.indexOf('\r\n\r\n')) {
        const head = pending.slice(0, end)
        pending = pending.slice(end + 4)
        state.requests.push(head)
        answer(socket, head, state.requests.length)
      }
    })
  })
  state.port = await listen(t, server)
  return state
}

export async function listen(t: TestContext, server: Server, host = '127.0.0.1'): Promise<number> {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, host, resolve)
  })
  t.after(async () => {
    for (const socket of open) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

export function fetcher(
  t: TestContext,
  limits: Partial<FetchLimits> = {},
  more: Partial<FetcherOptions> = {},
): Fetcher {
  const made = createFetcher({
    clock: systemClock,
    userAgent: 'MingaBot/0.1 (+mailto:bot@minga.test)',
    guard: { allowPrivateAddresses: true },
    limits: { ...DEFAULT_LIMITS, ...limits },
    ...more,
  })
  t.after(() => made.close())
  return made
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

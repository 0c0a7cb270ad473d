/**
 * The plainest of clients, for tests of the fake web itself: it sends text and keeps every byte
 * that comes back, however wrong, and how the connection ended.
 */

import { connect } from 'node:net'

export interface RawExchange {
  bytes: Buffer
  /** `silence`: nothing ended the connection within the time given. */
  ending: 'closed' | 'reset' | 'silence'
}

export interface RawTarget {
  address: string
  port: number
  timeoutMs?: number
}

export function exchange(target: RawTarget, text: string): Promise<RawExchange> {
  return new Promise((resolve) => {
    const parts: Buffer[] = []
    const socket = connect(target.port, target.address, () => socket.write(text))
    const done = (ending: RawExchange['ending']): void => {
      socket.destroy()
      resolve({ bytes: Buffer.concat(parts), ending })
    }
    socket.setTimeout(target.timeoutMs ?? 2000, () => done('silence'))
    socket.on('data', (part) => parts.push(part))
    socket.on('end', () => done('closed'))
    socket.on('error', () => done('reset'))
  })
}

export interface RawResponse {
  status: number
  headers: Record<string, string>
  body: Buffer
  ending: RawExchange['ending']
}

/** One GET on a connection of its own. */
export async function rawGet(
  url: string,
  headers: Record<string, string> = {},
  timeoutMs = 2000,
): Promise<RawResponse> {
  const { hostname, host, port, pathname, search } = new URL(url)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const { bytes, ending } = await exchange(
    { address: hostname, port: Number(port), timeoutMs },
    `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n${lines.join('')}Connection: close\r\n\r\n`,
  )
  return { ...parse(bytes), ending }
}

function parse(bytes: Buffer): Omit<RawResponse, 'ending'> {
  const split = bytes.indexOf('\r\n\r\n')
  const head = bytes.toString('latin1', 0, Math.max(0, split)).split('\r\n')
  const headers = head.slice(1).map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head[0] ?? '')?.[1] ?? 0),
    headers: Object.fromEntries(headers),
    body: split < 0 ? Buffer.alloc(0) : bytes.subarray(split + 4),
  }
}

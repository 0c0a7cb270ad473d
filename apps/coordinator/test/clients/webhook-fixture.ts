/** A client's server on loopback, and a batch to tell it of. */
import { StationSecrets } from '../../src/station/secrets/station-secrets.ts'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'
import type { BatchView } from '@minga/protocol'

export const BATCH: BatchView = {
  id: 'bat_1',
  state: 'ended',
  priority: 'normal',
  total: 1,
  open: 0,
  captured: 1,
  failed: 0,
  denied: 0,
  cancelled: 0,
  fromCache: 0,
  bytes: 7,
  createdAt: 1,
  endedAt: 2,
}

interface Heard {
  body: string
  headers: IncomingMessage['headers']
}

const servers: Server[] = []
after(() => servers.forEach((server) => server.close()))

export async function listener(status: () => number): Promise<{ url: string; heard: Heard[] }> {
  const heard: Heard[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      heard.push({ body, headers: request.headers })
      response.writeHead(status()).end()
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://hook.test:${(server.address() as AddressInfo).port}/end`, heard }
}

export const partsOf = (allowPrivateAddresses: boolean) => ({
  resolver: { resolve: async () => ({ ok: true as const, addresses: ['127.0.0.1'] }) },
  guard: { allowPrivateAddresses },
  secret: 'station',
  secrets: StationSecrets.of('station'),
})

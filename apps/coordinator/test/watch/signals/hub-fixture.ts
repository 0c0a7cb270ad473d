/** A hub (WebSub) on loopback: it takes subscriptions, asks back, and pushes with a signature. */
import { createHmac } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'
import type { TestStation } from '../../station-fixture.ts'

const servers: Server[] = []
after(() => servers.forEach((server) => server.close()))

export class FakeHub {
  readonly url: string
  /** Forms that were sent to it, in order. */
  readonly asked: URLSearchParams[] = []
  /** What it answers. */
  status = 202

  constructor(url: string) {
    this.url = url
  }

  get secret(): string {
    return this.asked.at(-1)!.get('hub.secret')!
  }

  get callback(): string {
    return new URL(this.asked.at(-1)!.get('hub.callback')!).pathname
  }

  /** Asks the station back, as hubs do. */
  async verify(
    { app }: TestStation,
    change: Record<string, string> = {},
  ): Promise<{ status: number; body: string }> {
    const query = new URLSearchParams({
      'hub.mode': 'subscribe',
      'hub.topic': this.asked.at(-1)!.get('hub.topic')!,
      'hub.challenge': 'a challenge',
      'hub.lease_seconds': '86400',
      ...change,
    })
    const url = `${this.callback}?${String(query)}`
    const { statusCode, body } = await app.inject({ url, headers: { host: 'localhost' } })
    return { status: statusCode, body }
  }

  async push(
    { app }: TestStation,
    body: string,
    given: { secret?: string; method?: string; signature?: string } = {},
  ): Promise<number> {
    const { secret = this.secret, method = 'sha256' } = given
    const signed = `${method}=${createHmac(method, secret).update(body).digest('hex')}`
    const { statusCode } = await app.inject({
      method: 'POST',
      url: this.callback,
      headers: {
        host: 'localhost',
        'content-type': 'application/atom+xml',
        'x-hub-signature': given.signature ?? signed,
      },
      payload: body,
    })
    return statusCode
  }
}

export async function openHub(): Promise<FakeHub> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      hub.asked.push(new URLSearchParams(body))
      response.writeHead(hub.status).end('no, thank you')
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const hub = new FakeHub(`http://hub.test:${port}/hub`)
  return hub
}

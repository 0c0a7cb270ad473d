/** The way from workers to their station as networks can be: messages come twice, late, or their answers never do. */
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SeededRandom } from '@minga/testkit'

/**
 * `twice`: both at the same moment. `unanswered`: delivered, but its sender never hears. `lost`: never delivered, its
 * sender hears nothing. `overdue`: a commit that arrives when its lease is over, because its beats got lost too.
 */
type Trouble = 'twice' | 'unanswered' | 'lost' | 'overdue'

interface Message {
  method: string
  path: string
  headers: http.IncomingHttpHeaders
  body: Buffer
}

interface Answer {
  status: number
  headers: http.IncomingHttpHeaders
  body: Buffer
}

/** What changes something at the station; asking for work and beating are repeated by themselves. */
const TROUBLED = /^(POST \/worker\/(commit|fail|return)|PUT \/worker\/files\/)/
const COMMIT = /^POST \/worker\/commit/
const BEAT = /^POST \/worker\/beat/
const SHARES: readonly (readonly [Trouble, number])[] = [
  ['twice', 0.3],
  ['unanswered', 0.2],
  ['lost', 0.15],
]
/** Each costs the time of a lease. */
const OVERDUE_MOST = 1
const OVERDUE_SHARE = 0.3
/** Longer than a lease of a task. */
const OVERDUE_MS = 8_000

export class WildNetwork {
  /** How often each kind of trouble happened. */
  readonly troubles: Record<Trouble, number> = { twice: 0, unanswered: 0, lost: 0, overdue: 0 }
  readonly #stationUrl: () => string
  readonly #random: SeededRandom
  readonly #commits: Message[] = []
  /** Fences of leases whose beats get lost. */
  readonly #silenced = new Set<number>()
  readonly #server = http.createServer((request, reply) => {
    // A station that is away, or a worker that is: the other side sees its connection end.
    this.#serve(request, reply).catch(() => reply.destroy())
  })

  private constructor(stationUrl: () => string, random: SeededRandom) {
    this.#stationUrl = stationUrl
    this.#random = random
  }

  static async start(stationUrl: () => string, random: SeededRandom): Promise<WildNetwork> {
    const network = new WildNetwork(stationUrl, random)
    network.#server.listen(0, '127.0.0.1')
    await once(network.#server, 'listening')
    return network
  }

  /** What workers take for their station. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Delivers every commit once more that was ever sent; what the station answers. */
  async repeatCommits(): Promise<string[]> {
    const answers: string[] = []
    for (const commit of this.#commits) {
      const { body } = await deliver(commit, { to: this.#stationUrl() })
      answers.push((JSON.parse(body.toString()) as { answer: string }).answer)
    }
    return answers
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #serve(request: http.IncomingMessage, reply: http.ServerResponse): Promise<void> {
    const message = await received(request)
    const what = `${message.method} ${message.path}`
    if (COMMIT.test(what)) this.#commits.push(message)
    const trouble = this.#troubleFor(what)
    if (trouble === 'lost' || this.#isSilenced(what, message)) return void reply.destroy()
    if (trouble === 'overdue') {
      for (const fence of fencesIn(message)) this.#silenced.add(fence)
      await sleep(OVERDUE_MS)
    }
    const answers = [this.#pass(message, trouble === null ? reply : null)]
    if (trouble === 'twice') answers.push(this.#pass(message, null))
    const [answer] = await Promise.all(answers)
    if (answer === undefined || trouble === 'unanswered') return void reply.destroy()
    reply.writeHead(answer.status, answer.headers).end(answer.body)
  }

  /** Who asks and goes away is seen to go, so that nothing is sent to a closed connection. */
  #pass(message: Message, asker: http.ServerResponse | null): Promise<Answer> {
    const gone = new AbortController()
    asker?.once('close', () => gone.abort())
    return deliver(message, { to: this.#stationUrl(), signal: gone.signal })
  }

  #troubleFor(what: string): Trouble | null {
    if (!TROUBLED.test(what)) return null
    const trouble = troubleFor(what, this.#random, this.troubles)
    if (trouble !== null) this.troubles[trouble] += 1
    return trouble
  }

  #isSilenced(what: string, message: Message): boolean {
    return BEAT.test(what) && fencesIn(message).some((fence) => this.#silenced.has(fence))
  }
}

function troubleFor(
  what: string,
  random: SeededRandom,
  past: Record<Trouble, number>,
): Trouble | null {
  const mayBeLate = COMMIT.test(what) && past.overdue < OVERDUE_MOST
  if (mayBeLate && random.chance(OVERDUE_SHARE)) return 'overdue'
  let draw = random.next()
  for (const [trouble, share] of SHARES) {
    if (draw < share) return trouble
    draw -= share
  }
  return null
}

function fencesIn({ body }: Message): number[] {
  const { fence, tasks = [] } = JSON.parse(body.toString()) as {
    fence?: number
    tasks?: { fence: number }[]
  }
  return fence === undefined ? tasks.map((task) => task.fence) : [fence]
}

async function received(request: http.IncomingMessage): Promise<Message> {
  const { method = 'GET', url: path = '/', headers } = request
  return { method, path, headers, body: await bytesOf(request) }
}

async function deliver(
  { method, path, headers, body }: Message,
  { to, signal }: { to: string; signal?: AbortSignal },
): Promise<Answer> {
  const { host: _host, connection: _connection, ...kept } = headers
  const sent = http.request(`${to}${path}`, {
    method,
    headers: kept,
    agent: false,
    ...(signal === undefined ? {} : { signal }),
  })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
  const { 'transfer-encoding': _encoding, connection: _kept, ...answered } = response.headers
  return {
    status: response.statusCode ?? 502,
    headers: answered,
    body: await bytesOf(response),
  }
}

async function bytesOf(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

/** A small station that gives tasks to workers over HTTP, with leases as short as a test wants them. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after } from 'node:test'
import type { Task, TaskDone } from '../../src/model.ts'
import type { LeaseId } from '../../src/schedule/resolve-task.ts'
import type { TaskFailure } from '../../src/worker/station.ts'

interface Entry {
  task: Omit<Task, 'fence' | 'leaseMs'>
  fence: number
  expiresAt: number
  done: TaskDone | null
  committedBy: number | null
}

export class FakeStation {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'minga-worker-'))
  readonly entries: Entry[] = []
  readonly commits: (LeaseId & { answer: string })[] = []
  readonly failures: (LeaseId & { error: TaskFailure })[] = []
  readonly returned: LeaseId[] = []
  readonly calls: string[] = []
  leaseMs = 800
  /** Answers nothing at all: the connection is cut. */
  isAway = false
  /** Cuts the connection of this many transfers of files half-way. */
  cuts = 0
  url = ''
  #fence = 0
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  #waiting: (() => void)[] = []

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    after(() => {
      this.#server.closeAllConnections()
      this.#server.close()
      rmSync(this.folder, { recursive: true, force: true })
    })
    return this
  }

  add(task: Partial<Task>): void {
    const whole = {
      query: 'q',
      stage: 's1',
      index: this.entries.length,
      attempt: 1,
      reads: [],
      program: [],
      outputs: [],
      limits: { memoryMb: 512, threads: 1 },
      folder: 'queries/q/s1',
      ...task,
    }
    this.entries.push({ task: whole, fence: 0, expiresAt: 0, done: null, committedBy: null })
    this.ring()
  }

  ring(): void {
    for (const wake of this.#waiting.splice(0)) wake()
  }

  get isDone(): boolean {
    return this.entries.every(({ done }) => done !== null)
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.isAway) return void request.socket.destroy()
    const url = new URL(request.url ?? '/', this.url)
    this.calls.push(`${request.method} ${url.pathname}`)
    const body = await bodyOf(request)
    if (url.pathname.startsWith('/worker/files/') || url.pathname === '/worker/outside') {
      return this.#file(request, response, { url, body })
    }
    const answer = await this.#answer(url.pathname, JSON.parse(body.toString()), request.socket)
    // It went away while it thought.
    if (this.isAway) return void request.socket.destroy()
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  }

  async #answer(
    call: string,
    body: LeaseId & Record<string, unknown>,
    socket: Socket,
  ): Promise<object> {
    const entry = this.entries[body.index]
    switch (call) {
      case '/worker/lease':
        return this.#lease(Number(body['waitMs']), socket)
      case '/worker/beat':
        return { lost: (body['tasks'] as LeaseId[]).filter((lease) => !this.#renew(lease)) }
      case '/worker/commit':
        return { answer: this.#commit(entry!, body) }
      case '/worker/fail':
        this.failures.push(body as never)
        entry!.done = { outputs: [], rowsRead: 0, bytesRead: 0, rejects: {} }
        return {}
      case '/worker/return':
        this.returned.push(body)
        entry!.expiresAt = 0
        return {}
      default:
        throw new Error(`${call} is no call of a worker`)
    }
  }

  async #lease(waitMs: number, socket: Socket): Promise<object> {
    const until = performance.now() + waitMs
    for (;;) {
      const now = performance.now()
      if (socket.destroyed) return {}
      const free = this.entries.find(({ done, expiresAt }) => !done && expiresAt <= now)
      if (free) {
        free.fence = ++this.#fence
        free.expiresAt = now + this.leaseMs
        return { task: { ...free.task, fence: free.fence, leaseMs: this.leaseMs } }
      }
      if (now >= until || this.isAway) return { task: null, waitMs: 0 }
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.push(resolve)
      setTimeout(resolve, 50)
      await promise
    }
  }

  #renew(lease: LeaseId): boolean {
    const entry = this.entries[lease.index]
    const now = performance.now()
    if (!entry || entry.done || entry.fence !== lease.fence || entry.expiresAt <= now) return false
    entry.expiresAt = now + this.leaseMs
    return true
  }

  #commit(entry: Entry, body: LeaseId & { done?: TaskDone }): string {
    const { query, stage, index, fence } = body
    const answer = this.#judge(entry, fence)
    this.commits.push({ query, stage, index, fence, answer })
    if (answer === 'accepted') {
      entry.done = body.done ?? null
      entry.committedBy = fence
    }
    return answer
  }

  #judge(entry: Entry, fence: number): string {
    if (entry.committedBy === fence) return 'already'
    return entry.done || entry.fence !== fence ? 'stale' : 'accepted'
  }

  #file(
    request: IncomingMessage,
    response: ServerResponse,
    { url, body }: { url: URL; body: Buffer },
  ): void {
    const name = url.searchParams.get('path') ?? decodeURIComponent(url.pathname.slice(14))
    const at = url.pathname === '/worker/outside' ? name : path.join(this.folder, name)
    if (request.method === 'PUT') return this.#take(request, response, { at, url, body })
    if (!existsSync(at)) return void response.writeHead(404).end('{}')
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? []
    const bytes = readFileSync(at).subarray(Number(from), Number(to) + 1)
    response.writeHead(206, { 'content-length': bytes.length })
    if (this.cuts-- > 0) {
      response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy())
    } else response.end(bytes)
  }

  #take(
    request: IncomingMessage,
    response: ServerResponse,
    { at, url, body }: { at: string; url: URL; body: Buffer },
  ): void {
    if (this.cuts-- > 0) return void request.socket.destroy()
    const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`
    if (request.headers['x-minga-digest'] !== digest) return void response.writeHead(400).end()
    mkdirSync(path.dirname(at), { recursive: true })
    const has = existsSync(at) ? readFileSync(at) : Buffer.alloc(0)
    const isNext = Number(url.searchParams.get('offset')) === has.length
    if (isNext) writeFileSync(at, Buffer.concat([has, body]))
    const received = has.length + (isNext ? body.length : 0)
    response.writeHead(isNext ? 200 : 409).end(JSON.stringify({ received }))
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

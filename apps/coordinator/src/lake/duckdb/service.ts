/**
 * The DuckDB service: a program that runs as a user of its own and starts, for each connection to its socket, one of the
 * few processes that read files with DuckDB. A connection begins with which one; then questions and answers go
 * through, and its end is the process's. Who may connect is decided by the mode of the socket and of its folder.
 */
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, mkdirSync } from 'node:fs'
import { chmod, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { basename, isAbsolute, join, resolve } from 'node:path'
import { z } from 'zod'
import { BadFrame, DuckDbUnavailable } from '../lake-errors.ts'
import { frameOf, FrameReader, jsonFrame, objectIn, type Frame } from './frames.ts'
import { CHILD_MODULES, forkChild, type ChildName } from './runner.ts'

export interface DuckDbServiceSettings {
  socket: string
  /** Each process has a folder of its own in it, as long as it lives. */
  data: string
}

export interface DuckDbService {
  close: () => Promise<void>
}

/** Owner and group connect: the group is the station's, and the folder of the socket lets no one else in. */
const SOCKET_MODE = 0o660
/** Of several coordinators together; each question of a station is one process or less. */
const PROCESSES_MAX = 64
const START_MS = 10_000
const PIECE_BYTES = 64 * 1024
const WORK_FOLDER = 'work'

const startMessage = z.strictObject({
  name: z.enum(Object.keys(CHILD_MODULES) as [ChildName, ...ChildName[]]),
  folder: z.string().max(4_096).refine(isAbsolute).nullable(),
})
/** The process says that its answer is a file in its folder. */
const fileAnswer = z.looseObject({ file: z.string() })

export async function startDuckDbService(settings: DuckDbServiceSettings): Promise<DuckDbService> {
  const work = join(resolve(settings.data), WORK_FOLDER)
  // What processes left behind that died with the service.
  await rm(work, { recursive: true, force: true })
  const open = new Set<Connection>()
  const server = createServer((socket) => {
    // The station takes a connection that ends before its process began for a service that cannot be used.
    if (open.size >= PROCESSES_MAX) return void socket.destroy()
    const connection = new Connection(socket, join(work, randomUUID()))
    open.add(connection)
    void connection.run().finally(() => open.delete(connection))
  })
  await listen(server, settings.socket)
  await chmod(settings.socket, SOCKET_MODE)
  return {
    close: async () => {
      server.close()
      for (const connection of open) connection.end()
      await once(server, 'close')
    },
  }
}

/** A socket on which no service listens was left by one that was killed. */
async function listen(server: Server, path: string): Promise<void> {
  const isListening = (): Promise<unknown> => once(server.listen(path), 'listening')
  try {
    await isListening()
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
    if (!isTaken) throw DuckDbUnavailable.noSocket(path, { cause: error })
    if (await answers(path)) throw DuckDbUnavailable.taken(path)
    await rm(path)
    await isListening()
  }
}

async function answers(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

class Connection {
  readonly #socket: Socket
  readonly #work: string
  #child: ChildProcess | null = null
  /** What the process said goes out in its order, files before the words that name them. */
  #sending: Promise<void> = Promise.resolve()

  constructor(socket: Socket, work: string) {
    this.#socket = socket
    socket.on('error', () => this.end())
    this.#work = work
  }

  end(): void {
    this.#socket.destroy()
  }

  /** Until it has ended, and its process with it. */
  async run(): Promise<void> {
    const frames = new FrameReader()
    this.#socket.setTimeout(START_MS, () => this.end())
    try {
      for await (const chunk of this.#socket as AsyncIterable<Buffer>) {
        for (const frame of frames.read(chunk)) this.#take(frame)
      }
    } catch {
      // Whatever is wrong with a connection ends it and no other.
    } finally {
      this.#socket.destroy()
      this.#child?.kill('SIGKILL')
      await this.#sending.catch(() => {})
      await rm(this.#work, { recursive: true, force: true }).catch(() => {})
    }
  }

  #take(frame: Frame): void {
    if (this.#child === null) return this.#start(frame)
    if (frame.kind !== 'message') throw BadFrame.noStart()
    this.#child.send(objectIn(frame), () => {})
  }

  #start(frame: Frame): void {
    const wanted = startMessage.safeParse(frame.kind === 'control' ? objectIn(frame) : null)
    if (!wanted.success) throw BadFrame.noStart()
    const { name, folder } = wanted.data
    mkdirSync(this.#work, { recursive: true })
    const child = forkChild(name, folder ?? this.#work, this.#work)
    this.#child = child
    this.#socket.setTimeout(0)
    child.once('error', () => this.end())
    child.once('exit', () => {
      const last = jsonFrame('control', { hasExited: true })
      this.#sending = this.#sending.then(() => void this.#socket.end(last))
    })
    child.on('message', (said: object) => {
      this.#sending = this.#sending.then(() => this.#send(said)).catch(() => this.end())
    })
    if (child.pid !== undefined) this.#socket.write(jsonFrame('control', { pid: child.pid }))
  }

  async #send(said: object): Promise<void> {
    const answer = fileAnswer.safeParse(said)
    if (answer.success) {
      const file = join(this.#work, basename(answer.data.file))
      const pieces = createReadStream(file, { highWaterMark: PIECE_BYTES })
      for await (const piece of pieces) await this.#write(frameOf('piece', piece as Buffer))
    }
    await this.#write(jsonFrame('message', said))
  }

  async #write(frame: Buffer): Promise<void> {
    if (this.#socket.destroyed) throw BadFrame.noStart()
    if (this.#socket.write(frame)) return
    // A reader that has gone closes the connection, which never drains.
    const over = new AbortController()
    const { signal } = over
    const drained = once(this.#socket, 'drain', { signal })
    const closed = once(this.#socket, 'close', { signal })
    for (const each of [drained, closed]) each.catch(() => {})
    await Promise.race([drained, closed])
    over.abort()
  }
}

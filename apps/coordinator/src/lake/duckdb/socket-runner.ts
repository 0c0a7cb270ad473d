/**
 * Processes of the DuckDB service, one for each connection to its socket. What comes back was made by a process that a
 * file may have taken over: its frames are bounded, and its file arrives here as bytes, so that nothing of this
 * user is opened by a name that the other side chose.
 */
import { EventEmitter, once } from 'node:events'
import { open, type FileHandle } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { BadFrame, DuckDbUnavailable } from '../lake-errors.ts'
import { FrameReader, jsonFrame, objectIn, type Frame } from './frames.ts'
import type { AnsweringChild, DuckDbRunner, WantedChild } from './runner.ts'
import { shareFiles } from './share-files.ts'

export interface SocketRunnerParts {
  /** Path of the service's socket. */
  socket: string
  data: string
  lake: string
}

export function socketRunner({ socket: path, ...folders }: SocketRunnerParts): DuckDbRunner {
  return {
    share: (files) => shareFiles(folders, files),
    start: async (wanted) => {
      // A process enters the folder that it works in before any file is named.
      await shareFiles(folders, [])
      const socket = connect(path)
      try {
        await once(socket, 'connect')
      } catch (cause) {
        throw DuckDbUnavailable.at(path, { cause })
      }
      return new RemoteChild(socket, path, wanted)
    },
  }
}

class RemoteChild implements AnsweringChild {
  readonly events = new EventEmitter()
  readonly #socket: Socket
  readonly #path: string
  readonly #answer: WantedChild['answer']
  #pid: number | null = null
  #hasEnded = false
  /** The service says so; a connection that ends without it ended with the service. */
  #hasExited = false
  #file: FileHandle | null = null
  #received = 0

  constructor(socket: Socket, path: string, { name, folder, answer }: WantedChild) {
    this.#socket = socket
    socket.on('error', () => this.end())
    this.#path = path
    this.#answer = answer
    socket.write(jsonFrame('control', { name, folder }))
    void this.#run()
  }

  get pid(): number | null {
    return this.#pid
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  get failure(): Error | null {
    if (!this.#hasEnded || this.#hasExited) return null
    return this.#pid === null
      ? DuckDbUnavailable.refused(this.#path)
      : DuckDbUnavailable.gone(this.#path)
  }

  send(question: object): void {
    this.#socket.write(jsonFrame('message', question))
  }

  end(): void {
    this.#socket.destroy()
  }

  hold(isHeld: boolean): void {
    if (isHeld) this.#socket.ref()
    else this.#socket.unref()
  }

  /** The connection's end is the process's, whatever ended it. */
  async #run(): Promise<void> {
    const frames = new FrameReader()
    try {
      for await (const chunk of this.#socket as AsyncIterable<Buffer>) {
        for (const frame of frames.read(chunk)) await this.#take(frame)
      }
    } catch {
      // A broken connection and an invalid frame are both the end of it.
    } finally {
      this.#socket.destroy()
      await this.#file?.close().catch(() => {})
      this.#hasEnded = true
      this.events.emit('exit')
    }
  }

  async #take(frame: Frame): Promise<void> {
    if (frame.kind === 'piece') return this.#keep(frame.bytes)
    if (frame.kind === 'control') {
      const { pid, hasExited } = objectIn(frame) as { pid?: unknown; hasExited?: unknown }
      if (hasExited === true) return void (this.#hasExited = true)
      if (!Number.isSafeInteger(pid)) throw BadFrame.noStart()
      return void (this.#pid = pid as number)
    }
    await this.#file?.close()
    this.#file = null
    this.events.emit('message', objectIn(frame))
  }

  async #keep(bytes: Buffer): Promise<void> {
    const answer = this.#answer
    this.#received += bytes.length
    if (answer === undefined || this.#received > answer.bytesMax) {
      throw BadFrame.tooLong('piece', this.#received)
    }
    this.#file ??= await open(answer.path, 'wx')
    await this.#file.writeFile(bytes)
  }
}

/** Unpacking programs of the machine: bytes in, bytes out, as a stream. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export interface Programs {
  /** The first of them that can be started, or null. */
  find(names: readonly string[]): Promise<string | null>
  /** What the program writes; throws `ProgramFailed` behind its last byte when it ends badly. */
  run(
    program: string,
    args: readonly string[],
    input: AsyncIterable<Buffer> | null,
  ): AsyncIterable<Buffer>
}

export class ProgramFailed extends Error {}

/** Of its complaints one line is enough, and they may be long. */
const COMPLAINT_CHARACTERS = 2000

/** They read what strangers wrote: passwords in the environment of the station are none of their business. */
function ownEnvironment(): Record<string, string> {
  const { PATH } = process.env
  return PATH === undefined ? {} : { PATH }
}

export const machinePrograms: Programs = {
  async find(names) {
    for (const name of names) if (await canStart(name)) return name
    return null
  },
  run: runProgram,
}

async function canStart(name: string): Promise<boolean> {
  const child = spawn(name, ['--help'], { stdio: 'ignore', env: ownEnvironment() })
  try {
    await once(child, 'spawn')
    child.kill()
    return true
  } catch {
    return false
  }
}

async function* runProgram(
  program: string,
  args: readonly string[],
  input: AsyncIterable<Buffer> | null,
): AsyncGenerator<Buffer> {
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: ownEnvironment(),
  })
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve)
    child.once('error', () => resolve(null))
  })
  let complaint = ''
  child.stderr.on('data', (piece: Buffer) => {
    complaint = (complaint + piece.toString()).slice(-COMPLAINT_CHARACTERS)
  })
  // A program that stops reading says why when it ends; what the input itself throws must not be lost.
  let inputFailure: unknown = null
  const fed = pipeline(
    watched(input, (error) => (inputFailure = error)),
    child.stdin,
  ).catch(() => {})
  try {
    for await (const piece of child.stdout) yield piece as Buffer
    const code = await ended
    await fed
    if (inputFailure !== null) throw inputFailure
    if (code !== 0)
      throw new ProgramFailed(gistOf(complaint, program) || `${program} ended with ${code}`)
  } finally {
    child.kill()
  }
}

function watched(input: AsyncIterable<Buffer> | null, failed: (error: unknown) => void): Readable {
  async function* pieces(): AsyncGenerator<Buffer> {
    try {
      if (input !== null) yield* input
    } catch (error) {
      failed(error)
      throw error
    }
  }
  return Readable.from(pieces(), { objectMode: true, highWaterMark: 2 })
}

/** What a program says under its own name; without that its last line, as behind a long report. */
function gistOf(complaint: string, program: string): string {
  const lines = complaint
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const named = lines.find((line) => line.startsWith(`${program}: `))
  const line = named?.slice(program.length + 2) ?? lines.at(-1) ?? ''
  return line.replace(/[;.]+$/, '')
}

/** Files of `minga partition`: read as they come, gzip or not, and written line by line. */
import type { GraphFile } from '@minga/partition'
import { createReadStream, createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { BadOption, UnreadableFile } from '../../errors.ts'
import { requireFile, STANDARD_OUTPUT, writingTo } from '../../output-place.ts'
import { Output } from '../archive/output.ts'

type Room = typeof import('@minga/partition')

const EDGES = /\.(edges|edgelist|el|txt|csv|tsv)(\.gz)?$/i
const GZIP = [0x1f, 0x8b]
/** By which some editors say that a text is UTF-8. */
const MARK = [0xef, 0xbb, 0xbf]
const LINES_AT_ONCE = 65_536

export function readGraphFile(
  room: Room,
  file: string,
  format: 'metis' | 'edges' | undefined,
): Promise<GraphFile> {
  const isEdges = format === undefined ? EDGES.test(file) : format === 'edges'
  return isEdges
    ? room.readEdges(file, bytesOf(room, file))
    : room.readMetis(file, bytesOf(room, file))
}

export function readNumbers(
  room: Room,
  file: string,
  shape: Parameters<Room['readTable']>[2],
): Promise<Float64Array> {
  return room.readTable(file, bytesOf(room, file), shape)
}

/** Compression is detected from the first bytes, not by the name: pipes have none. */
async function* bytesOf(room: Room, file: string): AsyncGenerator<Uint8Array> {
  const source = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: 1 << 20 })
  try {
    const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    const first = await chunks.next()
    if (first.done === true) return
    const isMarked = MARK.every((byte, i) => first.value[i] === byte)
    const whole = resumed(isMarked ? first.value.subarray(MARK.length) : first.value, chunks)
    if (!GZIP.every((byte, i) => first.value[i] === byte)) yield* whole
    else yield* unpacked(whole)
  } catch (error) {
    if (error instanceof room.BadGraphFile) throw error
    throw new UnreadableFile(file, { cause: error })
  }
}

async function* unpacked(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  // Its failure reaches the code that iterates; here it must only not go unhandled.
  pipeline(Readable.from(packed), gunzip).catch(() => {})
  yield* gunzip as AsyncIterable<Buffer>
}

async function* resumed(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value
}

/** Asked before a graph is cut, which may take minutes. */
export async function requireOut(out: string, graph: string): Promise<void> {
  if (out === STANDARD_OUTPUT) return
  if (resolve(out) === resolve(graph))
    throw new BadOption('--out', 'another file than the graph', out)
  await requireFile('--out', out)
}

export async function writeParts(file: string, parts: Int32Array): Promise<void> {
  if (file === STANDARD_OUTPUT) return printParts(parts)
  await writingTo(file, () => pipeline(Readable.from(linesOf(parts)), createWriteStream(file)))
}

async function printParts(parts: Int32Array): Promise<void> {
  const output = new Output()
  for (const lines of linesOf(parts)) if (!(await output.write(lines))) break
  await output.end()
}

function* linesOf(parts: Int32Array): Generator<string> {
  for (let from = 0; from < parts.length; from += LINES_AT_ONCE) {
    yield `${parts.subarray(from, from + LINES_AT_ONCE).join('\n')}\n`
  }
}

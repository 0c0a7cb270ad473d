/** Where everything in a pack lies. It stands at the file's end and is read whole; the trailer finds it. */
import { ByteReader, ByteWriter } from './byte-code.ts'
import type { EntryNames } from './entry-blocks.ts'
import { sha256 } from './text-hashes.ts'

export const HEAD = Buffer.from('MNGPACK\x01', 'latin1')
const TRAILER_MARK = Buffer.from('MNGPEND\x01', 'latin1')
const SHA256_BYTES = 32
/** Length of the file, stored and raw length of the directory, SHA-256 of the directory as stored, mark. */
export const TRAILER_BYTES = 8 + 4 + 4 + SHA256_BYTES + TRAILER_MARK.length

export interface FramePlace {
  offset: number
  /** Of the zstd frame and of the list behind it. */
  storedBytes: number
  listBytes: number
  rawBytes: number
  firstText: number
  texts: number
  crc: number
}

export interface BlockPlace {
  offset: number
  storedBytes: number
  rawBytes: number
  /** Lowest revision of the block. */
  firstRevId: number
  entries: number
  crc: number
}

export interface PackDirectory {
  frames: FramePlace[]
  blocks: BlockPlace[]
  names: EntryNames
  tombstones: number
  /** Length of all entries' texts, each counted as often as it is used. */
  rawBytes: number
}

export function encodeDirectory({ frames, blocks, names, ...totals }: PackDirectory): Buffer {
  const writer = new ByteWriter()
  writer.number(totals.tombstones)
  writer.number(totals.rawBytes)
  writer.number(frames.length)
  for (const frame of frames) {
    writer.number(frame.storedBytes)
    writer.number(frame.listBytes)
    writer.number(frame.rawBytes)
    writer.number(frame.texts)
    writer.uint32(frame.crc)
  }
  writer.number(blocks.length)
  for (const block of blocks) {
    writer.number(block.storedBytes)
    writer.number(block.rawBytes)
    writer.number(block.firstRevId)
    writer.number(block.entries)
    writer.uint32(block.crc)
  }
  encodeNames(names, writer)
  return writer.written()
}

function encodeNames({ pageIds, roles, reasons }: EntryNames, writer: ByteWriter): void {
  writer.number(pageIds.length)
  let previous = 0
  for (const pageId of pageIds) {
    writer.number(pageId - previous)
    previous = pageId
  }
  for (const list of [roles, reasons]) {
    writer.number(list.length)
    for (const name of list) writer.text(name)
  }
}

export function decodeDirectory(bytes: Buffer): PackDirectory {
  const reader = new ByteReader(bytes)
  const tombstones = reader.number()
  const rawBytes = reader.number()
  // Frames and blocks stand without gaps in this order, so that lengths say where.
  let offset = HEAD.length
  let firstText = 0
  const frames = Array.from({ length: reader.number() }, () => {
    const storedBytes = reader.number()
    const listBytes = reader.number()
    const raw = reader.number()
    const texts = reader.number()
    const place = { offset, storedBytes, listBytes, rawBytes: raw, firstText, texts }
    offset += storedBytes
    firstText += texts
    return { ...place, crc: reader.uint32() }
  })
  const blocks = Array.from({ length: reader.number() }, () => {
    const storedBytes = reader.number()
    const raw = reader.number()
    const firstRevId = reader.number()
    const entries = reader.number()
    const place = { offset, storedBytes, rawBytes: raw, firstRevId, entries, crc: reader.uint32() }
    offset += storedBytes
    return place
  })
  return { frames, blocks, names: decodeNames(reader), tombstones, rawBytes }
}

function decodeNames(reader: ByteReader): EntryNames {
  let pageId = 0
  const pageIds = Array.from({ length: reader.number() }, () => (pageId += reader.number()))
  const texts = (): string[] => Array.from({ length: reader.number() }, () => reader.text())
  return { pageIds, roles: texts(), reasons: texts() }
}

export interface Trailer {
  fileBytes: number
  directoryStoredBytes: number
  directoryRawBytes: number
  directorySha256: Buffer
}

export function encodeTrailer(offset: number, stored: Buffer, rawBytes: number): Buffer {
  const trailer = Buffer.alloc(TRAILER_BYTES)
  trailer.writeBigUInt64LE(BigInt(offset + stored.length + TRAILER_BYTES), 0)
  trailer.writeUInt32LE(stored.length, 8)
  trailer.writeUInt32LE(rawBytes, 12)
  trailer.set(sha256(stored), 16)
  trailer.set(TRAILER_MARK, 16 + SHA256_BYTES)
  return trailer
}

/** Null where the bytes are no trailer of a file of this length. */
export function decodeTrailer(bytes: Buffer, fileBytes: number): Trailer | null {
  if (
    bytes.length !== TRAILER_BYTES ||
    !bytes.subarray(-TRAILER_MARK.length).equals(TRAILER_MARK)
  ) {
    return null
  }
  const directoryStoredBytes = bytes.readUInt32LE(8)
  if (bytes.readBigUInt64LE(0) !== BigInt(fileBytes)) return null
  if (directoryStoredBytes + TRAILER_BYTES + HEAD.length > fileBytes) return null
  return {
    fileBytes,
    directoryStoredBytes,
    directoryRawBytes: bytes.readUInt32LE(12),
    directorySha256: bytes.subarray(16, 16 + SHA256_BYTES),
  }
}

/** For messages: which part of the file, and where it lies. */
export function nameOf({ frames, blocks }: PackDirectory, place: FramePlace | BlockPlace): string {
  const isFrame = 'texts' in place
  const number = isFrame ? frames.indexOf(place) : blocks.indexOf(place)
  const end = place.offset + place.storedBytes
  return `${isFrame ? 'frame' : 'index block'} ${number} (bytes ${place.offset} to ${end})`
}

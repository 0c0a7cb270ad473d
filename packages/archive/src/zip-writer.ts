/**
 * A ZIP file written front to back with stored entries only, as WACZ wants them: what is inside
 * can then be read in place by byte ranges. Checksum and size are patched into an entry's header
 * once its bytes have passed, so nothing is held in memory and no trailing descriptors are needed.
 * Layout: PKWARE APPNOTE 6.3; ZIP64 where a size, an offset or the count does not fit.
 */

import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { Instant } from '@minga/protocol'
import { crc32 } from 'node:zlib'

export interface ZipOptions {
  modifiedAt: Instant
  /** Sizes and offsets from here on are written as ZIP64; tests lower it. */
  zip64FromBytes?: number
}

export interface WrittenEntry {
  name: string
  bytes: number
  /** `sha256:` + hex. */
  hash: string
}

interface Entry {
  name: Buffer
  offset: number
  bytes: number
  checksum: number
  isZip64: boolean
}

const MAX_32 = 0xffffffff
const MAX_16 = 0xffff
const UTF8_NAMES = 0x0800

export class ZipWriter {
  readonly #file: FileHandle
  readonly #options: Required<ZipOptions>
  readonly #entries: Entry[] = []
  #position = 0

  constructor(file: FileHandle, options: ZipOptions) {
    this.#file = file
    this.#options = { zip64FromBytes: MAX_32, ...options }
  }

  /** `expectedBytes` null means unknown: then the header leaves room for any size. */
  async add(
    name: string,
    content: AsyncIterable<Uint8Array>,
    expectedBytes: number | null,
  ): Promise<WrittenEntry> {
    const isZip64 = expectedBytes === null || expectedBytes >= this.#options.zip64FromBytes
    const entry = {
      name: Buffer.from(name),
      offset: this.#position,
      bytes: 0,
      checksum: 0,
      isZip64,
    }
    await this.#append(this.#localHeader(entry))
    const hash = createHash('sha256')
    for await (const chunk of content) {
      hash.update(chunk)
      entry.checksum = crc32(chunk, entry.checksum)
      entry.bytes += chunk.length
      await this.#append(chunk)
    }
    await writeFully(this.#file, this.#localHeader(entry), entry.offset)
    this.#entries.push(entry)
    return { name, bytes: entry.bytes, hash: `sha256:${hash.digest('hex')}` }
  }

  async finish(): Promise<void> {
    const start = this.#position
    for (const entry of this.#entries) await this.#append(this.#centralHeader(entry))
    const size = this.#position - start
    await this.#append(this.#endOfDirectory(start, size))
  }

  async #append(bytes: Uint8Array): Promise<void> {
    await writeFully(this.#file, bytes, this.#position)
    this.#position += bytes.length
  }

  #localHeader(entry: Entry): Buffer {
    const extra = entry.isZip64 ? zip64Extra([entry.bytes, entry.bytes]) : Buffer.alloc(0)
    const header = Buffer.alloc(30)
    header.writeUInt32LE(0x04034b50, 0)
    this.#commonFields(header, 4, entry)
    header.writeUInt16LE(entry.name.length, 26)
    header.writeUInt16LE(extra.length, 28)
    return Buffer.concat([header, entry.name, extra])
  }

  #centralHeader(entry: Entry): Buffer {
    const isFar = entry.offset >= this.#options.zip64FromBytes
    // Where the local header has an extra field, the central one has too: readers skip looking
    // at the local header when the central one has none (wabac.js).
    const large = [
      ...(entry.isZip64 ? [entry.bytes, entry.bytes] : []),
      ...(isFar ? [entry.offset] : []),
    ]
    const extra = large.length > 0 ? zip64Extra(large) : Buffer.alloc(0)
    const header = Buffer.alloc(46)
    header.writeUInt32LE(0x02014b50, 0)
    header.writeUInt16LE(large.length > 0 ? 45 : 20, 4)
    this.#commonFields(header, 6, entry)
    header.writeUInt16LE(entry.name.length, 28)
    header.writeUInt16LE(extra.length, 30)
    header.writeUInt32LE(isFar ? MAX_32 : entry.offset, 42)
    return Buffer.concat([header, entry.name, extra])
  }

  /** Version needed to sizes: the same run of fields in both kinds of header. */
  #commonFields(header: Buffer, at: number, entry: Entry): void {
    const { time, date } = dosTime(this.#options.modifiedAt)
    header.writeUInt16LE(entry.isZip64 ? 45 : 20, at)
    header.writeUInt16LE(UTF8_NAMES, at + 2)
    header.writeUInt16LE(0, at + 4)
    header.writeUInt16LE(time, at + 6)
    header.writeUInt16LE(date, at + 8)
    header.writeUInt32LE(entry.checksum, at + 10)
    header.writeUInt32LE(entry.isZip64 ? MAX_32 : entry.bytes, at + 14)
    header.writeUInt32LE(entry.isZip64 ? MAX_32 : entry.bytes, at + 18)
  }

  #endOfDirectory(start: number, size: number): Buffer {
    const count = this.#entries.length
    const isZip64 = count >= MAX_16 || start + size >= this.#options.zip64FromBytes
    const end = Buffer.alloc(22)
    end.writeUInt32LE(0x06054b50, 0)
    end.writeUInt16LE(Math.min(count, MAX_16), 8)
    end.writeUInt16LE(Math.min(count, MAX_16), 10)
    end.writeUInt32LE(isZip64 ? MAX_32 : size, 12)
    end.writeUInt32LE(isZip64 ? MAX_32 : start, 16)
    return isZip64 ? Buffer.concat([zip64End({ count, start, size }), end]) : end
  }
}

function zip64Extra(values: readonly number[]): Buffer {
  const extra = Buffer.alloc(4 + values.length * 8)
  extra.writeUInt16LE(1, 0)
  extra.writeUInt16LE(values.length * 8, 2)
  values.forEach((value, index) => extra.writeBigUInt64LE(BigInt(value), 4 + index * 8))
  return extra
}

function zip64End(directory: { count: number; start: number; size: number }): Buffer {
  const end = Buffer.alloc(56 + 20)
  end.writeUInt32LE(0x06064b50, 0)
  end.writeBigUInt64LE(44n, 4)
  end.writeUInt16LE(45, 12)
  end.writeUInt16LE(45, 14)
  end.writeBigUInt64LE(BigInt(directory.count), 24)
  end.writeBigUInt64LE(BigInt(directory.count), 32)
  end.writeBigUInt64LE(BigInt(directory.size), 40)
  end.writeBigUInt64LE(BigInt(directory.start), 48)
  end.writeUInt32LE(0x07064b50, 56)
  end.writeBigUInt64LE(BigInt(directory.start + directory.size), 64)
  end.writeUInt32LE(1, 72)
  return end
}

/** DOS time has two-second steps and starts in 1980. */
function dosTime(at: Instant): { time: number; date: number } {
  const when = new Date(at)
  const year = Math.min(Math.max(when.getUTCFullYear() - 1980, 0), 127)
  return {
    time: (when.getUTCHours() << 11) | (when.getUTCMinutes() << 5) | (when.getUTCSeconds() >> 1),
    date: (year << 9) | ((when.getUTCMonth() + 1) << 5) | when.getUTCDate(),
  }
}

async function writeFully(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}

/** The files of packs: the only place in this folder that touches the disk. */
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

export interface PackSink {
  write(bytes: Uint8Array): Promise<void>
  /** After it, what was written survives a power cut. */
  sync(): Promise<void>
  close(): Promise<void>
}

export interface PackSource {
  bytes: number
  /** Fewer bytes than asked for where the file ends. `into`: memory for them, where the caller has some. */
  read(offset: number, length: number, into?: Buffer): Promise<Buffer>
  close(): Promise<void>
}

/** What packs need of a disk; tests pass one that fails where they want. */
export interface PackFiles {
  create(path: string): Promise<PackSink>
  open(path: string): Promise<PackSource>
  /** Renames, and makes the new name durable. */
  publish(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
}

export const packFiles: PackFiles = {
  create: async (path) => {
    const file = await open(path, 'w')
    return {
      write: async (bytes) => {
        for (let at = 0; at < bytes.length;) {
          const { bytesWritten } = await file.write(bytes, at)
          at += bytesWritten
        }
      },
      sync: () => file.sync(),
      close: () => file.close(),
    }
  },
  open: async (path) => {
    const file = await open(path, 'r')
    const { size } = await file.stat()
    return {
      bytes: size,
      read: async (offset, length, into) => {
        const there = Math.max(0, Math.min(length, size - offset))
        const bytes = into ?? Buffer.allocUnsafe(there)
        const { bytesRead } = await file.read(bytes, 0, there, offset)
        return bytes.subarray(0, bytesRead)
      },
      close: () => file.close(),
    }
  },
  publish: async (from, to) => {
    await rename(from, to)
    const folder = await open(dirname(to), 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  },
  remove: (path) => rm(path, { force: true }),
}

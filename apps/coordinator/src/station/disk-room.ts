import { statfs } from 'node:fs/promises'

export interface DiskRoom {
  freeBytes: number
  wholeBytes: number
}

/** Of the disk of a folder; null when the system does not say. */
export async function diskRoomAt(folder: string): Promise<DiskRoom | null> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder)
    return { freeBytes: bavail * bsize, wholeBytes: blocks * bsize }
  } catch {
    return null
  }
}

/** What still fits on the disk of a folder; null when the system does not say. */
export async function freeBytesAt(folder: string): Promise<number | null> {
  return (await diskRoomAt(folder))?.freeBytes ?? null
}

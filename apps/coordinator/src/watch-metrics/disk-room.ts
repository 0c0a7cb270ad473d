import { statfs } from 'node:fs/promises'

/** What still fits on the disk of a folder; null when the system does not say. */
export async function freeBytesAt(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  } catch {
    return null
  }
}

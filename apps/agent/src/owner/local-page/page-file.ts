/**
 * `agent-page.json` in the agent's data folder, while it runs: where its page is and the token that
 * opens it. Readable by its owner only; the command line finds the running agent by it.
 */
import { readDataFile, removeDataFile, replaceDataFile } from '../../system/data-folder.ts'

export interface PageFile {
  url: string
  token: string
  pid: number
}

const NAME = 'agent-page.json'

export function writePageFile(data: string, page: PageFile): Promise<void> {
  return replaceDataFile(data, NAME, `${JSON.stringify(page, null, 2)}\n`)
}

/** Null when there is none, or none that can be read: then the page cannot be found by it. */
export async function readPageFile(data: string): Promise<PageFile | null> {
  try {
    const { url, token, pid } = JSON.parse((await readDataFile(data, NAME)) ?? 'null') as PageFile
    const isWhole = typeof url === 'string' && typeof token === 'string' && Number.isInteger(pid)
    return isWhole && /^http:\/\/127\.0\.0\.1:\d+$/.test(url) ? { url, token, pid } : null
  } catch {
    return null
  }
}

/** Only one's own: a later agent may have written its own by now. */
export async function removePageFile(data: string, token: string): Promise<void> {
  const page = await readPageFile(data)
  if (page?.token === token) await removeDataFile(data, NAME)
}

/** Settings that go with a folder, written when a station is set up. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Its text, null when there is none. */
export async function readSettingsFile(data: string): Promise<string | null> {
  try {
    return await readFile(join(data, 'settings.json'), 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw cause
  }
}

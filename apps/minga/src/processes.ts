/** `processes.json` in a data folder: who is running, for whoever looks from outside. */
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type Role = 'coordinator' | 'agent' | 'worker' | 'store'

export async function writeProcesses(
  data: string,
  list: readonly { pid: number; role: Role }[],
): Promise<void> {
  await mkdir(data, { recursive: true })
  const file = join(data, 'processes.json')
  await writeFile(`${file}.new`, `${JSON.stringify(list)}\n`)
  await rename(`${file}.new`, file)
}

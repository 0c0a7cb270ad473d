/** What the simulators read and write: a scenario, and figures in a folder. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BadOption } from '../errors.ts'

/** Null without a file. */
export async function scenarioText(file: string | undefined): Promise<string | null> {
  if (file === undefined) return null
  try {
    return await readFile(file, 'utf8')
  } catch {
    throw new BadOption('--scenario', 'a JSON file that can be read', file)
  }
}

export async function writeFigures(
  folder: string,
  files: readonly { name: string; content: string }[],
): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const { name, content } of files) await writeFile(join(folder, name), content)
  process.stderr.write(`minga: ${files.length} files are in ${folder}\n`)
}

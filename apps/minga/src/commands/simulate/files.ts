/** What the simulators read and write: a scenario, and figures in a folder. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BadOption } from '../../errors.ts'
import { requireFolder, writingTo } from '../../output-place.ts'

/** Null without a file. */
export async function scenarioText(file: string | undefined): Promise<string | null> {
  if (file === undefined) return null
  try {
    return await readFile(file, 'utf8')
  } catch {
    throw new BadOption('--scenario', 'a JSON file that can be read', file)
  }
}

/** Made before a simulation, which may take hours: then its figures have a place. */
export async function makeFiguresFolder(folder: string | undefined): Promise<void> {
  if (folder !== undefined) await requireFolder('--out', folder)
}

export async function writeFigures(
  folder: string,
  files: readonly { name: string; content: string }[],
): Promise<void> {
  for (const { name, content } of files) await writeFigure(join(folder, name), content)
  process.stderr.write(`minga: ${files.length} files are in ${folder}\n`)
}

export function writeFigure(file: string, content: string): Promise<void> {
  return writingTo(file, () => writeFile(file, content))
}

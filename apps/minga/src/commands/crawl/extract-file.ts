/** `--extract FILE`: rules that turn each capture into a row of a table, in JSON as docs/tables.md describes them. */
import { readFile } from 'node:fs/promises'
import { BadExtract, extractSpec, type CollectionRequest } from '@minga/protocol'
import { UnreadableFile } from '../../errors.ts'

/** Refused here with the name of the file and what is wrong in it. */
export async function readExtract(
  file: string,
): Promise<{ extract: NonNullable<CollectionRequest['extract']> }> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new UnreadableFile(file, { cause })
  })
  const read = extractSpec.safeParse(jsonIn(text, file))
  if (read.success) return { extract: read.data }
  const [issue] = read.error.issues
  throw new BadExtract(file, `${issue!.path.join('.') || 'the whole'}: ${issue!.message}`)
}

function jsonIn(text: string, file: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw new BadExtract(file, 'it is not JSON', { cause })
  }
}

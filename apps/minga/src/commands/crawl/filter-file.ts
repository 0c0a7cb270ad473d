/** `--filter FILE`: what is collected at all, in JSON as docs/routing.md describes it. */
import { readFile } from 'node:fs/promises'
import { isMingaError } from '@minga/protocol'
import { UnreadableFile } from '../../errors.ts'

/** Refused here with the name of the file and what is wrong in it. */
export async function readFilter(file: string): Promise<Record<string, unknown>> {
  // The room of maps is large, and most crawls have no filter.
  const { BadFilter, filterOf } = await import('@minga/partition')
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new UnreadableFile(file, { cause })
  })
  try {
    const data = JSON.parse(text) as Record<string, unknown>
    filterOf(data)
    return data
  } catch (cause) {
    const what = isMingaError(cause) ? cause.message.replace(/\.$/, '') : 'it is not JSON'
    throw new BadFilter(file, what, { cause })
  }
}

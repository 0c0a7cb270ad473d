/** `minga archive get`. */
import type { ContentForm } from '@minga/coordinator'
import { Readable } from 'node:stream'
import { typedAddresses } from '../../addresses.ts'
import { EXIT } from '../../exit-codes.ts'
import { openReader } from '../../open-reader.ts'
import { requireArchive } from './folder.ts'
import { Output } from './output.ts'
import { lastInstantOf } from './time.ts'

interface GetOptions {
  data: string
  at?: string
  raw?: boolean
  headers?: boolean
}

export async function getCapture(typed: string, options: GetOptions): Promise<number> {
  const [url] = typedAddresses('archive get', [typed]) as [string]
  const at = options.at === undefined ? null : lastInstantOf(options.at)
  const form: ContentForm = options.headers ? 'headers' : options.raw ? 'raw' : 'body'
  const reader = await openReader(requireArchive(options.data))
  try {
    const { body, headers } = await reader.content({ url, at, form })
    const problem = headers['x-minga-problem']
    if (problem) process.stderr.write(`minga: ${problem}\n`)
    const output = new Output()
    for await (const piece of Readable.from(body) as AsyncIterable<Buffer>) {
      if (!(await output.write(piece))) break
    }
    await output.end()
    return EXIT.ok
  } finally {
    await reader.close()
  }
}

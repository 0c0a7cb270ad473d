/** `minga archive get`. */
import type { ContentForm } from '@minga/coordinator'
import { openApi } from '../api.ts'
import { EXIT } from '../exit-codes.ts'
import { requireArchive } from './archive-folder.ts'
import { Output } from './archive-output.ts'
import { lastInstantOf } from './archive-time.ts'

interface GetOptions {
  data: string
  at?: string
  raw?: boolean
  headers?: boolean
}

export async function getCapture(url: string, options: GetOptions): Promise<number> {
  const at = options.at === undefined ? {} : { at: String(lastInstantOf(options.at)) }
  const form: ContentForm = options.headers ? 'headers' : options.raw ? 'raw' : 'body'
  const api = await openApi(requireArchive(options.data))
  try {
    const asked = new URLSearchParams({ url, form, ...at })
    const { body, headers } = await api.read(`/captures/content?${asked.toString()}`)
    const problem = headers['x-minga-problem']
    if (problem) process.stderr.write(`minga: ${problem}\n`)
    const output = new Output()
    await output.write(body)
    await output.end()
    return EXIT.ok
  } finally {
    await api.close()
  }
}

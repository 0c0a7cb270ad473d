/** Results as they come: a JSON object per line, in a file or on standard output. */
import { createWriteStream, type WriteStream } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import type { BatchView, ResultLine } from '@minga/protocol'
import type { Api } from '../../api.ts'
import { STANDARD_OUTPUT, writingTo } from '../../output-place.ts'
import type { RequestOptions } from './request.ts'

/** Results read at a time. */
const PAGE = 5_000

export interface ResultsFile {
  /** Writes what is new of a batch. */
  take(api: Api, batch: BatchView): Promise<void>
  writeWarc(api: Api, ids: readonly string[]): Promise<void>
  close(): Promise<void>
}

export async function openResults(options: RequestOptions): Promise<ResultsFile> {
  const { out = STANDARD_OUTPUT, warc } = options
  const file = out === STANDARD_OUTPUT ? null : await writingTo(out, () => open(out, 'w'))
  const read = new Map<string, number>()
  // With --json the totals are all that standard output carries.
  const write = writerOf(file, options.json ?? false)
  return {
    take: async (api, { id, total, open: left }) => {
      for (;;) {
        const after = read.get(id) ?? 0
        if (after >= total - left) return
        const { body } = await api.read(`/batches/${id}/results?after=${after}&limit=${PAGE}`)
        const lines = body.toString()
        if (lines === '') return
        await writingTo(out, () => write(lines))
        const last = JSON.parse(lines.trimEnd().split('\n').at(-1)!) as ResultLine
        read.set(id, last.no)
      }
    },
    writeWarc: (api, ids) => writingTo(warc!, () => writeWarc(api, ids, createWriteStream(warc!))),
    close: async () => {
      // A pipe or a device has nothing to bring to disk.
      if ((await file?.stat())?.isFile()) await file?.sync()
      await file?.close()
    },
  }
}

function writerOf(file: FileHandle | null, isSilent: boolean): (lines: string) => Promise<unknown> {
  if (file !== null) return (lines) => file.writeFile(lines)
  return async (lines) => (isSilent ? undefined : process.stdout.write(lines))
}

async function writeWarc(api: Api, ids: readonly string[], file: WriteStream): Promise<void> {
  const parts = async function* (): AsyncGenerator<Buffer> {
    for (const id of ids) yield (await api.read(`/batches/${id}/warc`)).body
  }
  await pipeline(Readable.from(parts()), file)
}

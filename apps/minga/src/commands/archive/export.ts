/** `minga archive export --wacz`: the whole archive as it is, or chosen captures in a new WARC. */
import { exportWacz, type WaczPage, type WaczSummary } from '@minga/archive'
import { SOFTWARE } from '@minga/coordinator'
import { giveUserMode, systemClock } from '@minga/protocol'
import { dirname, resolve } from 'node:path'
import { openApi } from '../../api.ts'
import { BadOption } from '../../errors.ts'
import { EXIT } from '../../exit-codes.ts'
import { isDevice, requireFile } from '../../output-place.ts'
import { formatBytes } from '../../progress.ts'
import { requireArchive, withTemporaryFolder } from './folder.ts'
import { writeSelection } from './selection.ts'
import { wholeArchive } from './whole.ts'
import { wantedCaptures, type ExportJob, type ExportOptions } from './wanted.ts'

export async function exportArchive(options: ExportOptions): Promise<number> {
  const data = requireArchive(options.data)
  await requireFile('--wacz', options.wacz)
  if (await isDevice(options.wacz)) throw new BadOption('--wacz', 'a file', options.wacz)
  const folder = dirname(resolve(options.wacz))
  const api = await openApi(data)
  try {
    process.stderr.write(`minga: writing ${options.wacz}…\n`)
    const { summary, pages } = await withTemporaryFolder(folder, (temporary) =>
      pack({ api, data, options, temporary }),
    )
    const { wacz: file } = options
    await giveUserMode(file)
    const { bytes } = summary
    if (options.json) process.stdout.write(`${JSON.stringify({ file, bytes, pages })}\n`)
    process.stderr.write(`minga: ${file}: ${formatBytes(bytes)}, ${pages} pages\n`)
    return EXIT.ok
  } finally {
    await api.close()
  }
}

async function pack(job: ExportJob): Promise<{ summary: WaczSummary; pages: number }> {
  const { options } = job
  const isPart = options.urlPrefix !== undefined || options.collection !== undefined
  const source = isPart ? await writeSelection(job) : await wholeArchive(job)
  const main = await firstPage(job, source.lastId)
  let pages = 0
  const counted = async function* (): AsyncGenerator<WaczPage> {
    for await (const page of htmlPagesOf(job, source.lastId)) {
      pages++
      yield page
    }
  }
  const summary = await exportWacz({
    warcFiles: source.warcFiles,
    cdxjPath: source.cdxjPath,
    pages: counted(),
    title: options.title ?? `Collected by ${SOFTWARE}`,
    ...(main === null ? {} : { mainPageUrl: main.url }),
    software: SOFTWARE,
    createdAt: systemClock.now(),
    out: options.wacz,
  })
  return { summary, pages }
}

/** What a reader of the archive would call a page. */
async function* htmlPagesOf(job: ExportJob, lastId: number): AsyncGenerator<WaczPage> {
  for await (const { url, capturedAt, status, mime, title } of wantedCaptures(job, lastId)) {
    if (status !== 200 || !/^(text\/html|application\/xhtml\+xml)$/.test(mime)) continue
    yield { url, ts: capturedAt, ...(title === null ? {} : { title }) }
  }
}

async function firstPage(job: ExportJob, lastId: number): Promise<WaczPage | null> {
  for await (const page of htmlPagesOf(job, lastId)) return page
  return null
}

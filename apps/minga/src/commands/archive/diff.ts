/** `minga archive diff`: what changed between two captures of an address. */
import { diffIn, openReadOnly, type DiffQuery } from '@minga/coordinator'
import type { CaptureDiff } from '@minga/protocol'
import { typedAddresses } from '../../addresses.ts'
import { findStation, openApi, type Api } from '../../api.ts'
import { EXIT } from '../../exit-codes.ts'
import { requireFile } from '../../output-place.ts'
import { requireArchive, writeText } from './folder.ts'
import { Output } from './output.ts'

interface DiffOptions {
  data: string
  json?: boolean
  html?: string
  sideBySide?: string
  watch?: number
  raw?: boolean
}

export async function diffArchive(
  typed: string,
  before: string,
  after: string,
  options: DiffOptions,
): Promise<number> {
  const [url] = typedAddresses('archive diff', [typed]) as [string]
  const data = requireArchive(options.data)
  for (const [option, file] of filesOf(options)) await requireFile(option, file)
  const { watch: watchId = null, raw = false } = options
  const diff = await readDiff(data, { url, before, after, watchId, raw })
  for (const [option, file] of filesOf(options)) {
    await writeText(file, diffIn(option === '--html' ? 'html' : 'side-by-side', diff))
    process.stderr.write(`minga: wrote ${file}\n`)
  }
  const isForFiles = filesOf(options).length > 0 && !options.json
  const output = new Output()
  if (options.json) await output.write(`${JSON.stringify(diff)}\n`)
  else if (!isForFiles) await output.write(diffIn('text', diff))
  await output.end()
  return EXIT.ok
}

function filesOf({ html, sideBySide }: DiffOptions): [option: string, file: string][] {
  const files: [string, string | undefined][] = [
    ['--html', html],
    ['--side-by-side', sideBySide],
  ]
  return files.filter((each): each is [string, string] => each[1] !== undefined)
}

/** A station that serves the folder answers; else the folder is read as it is and left so. */
async function readDiff(data: string, query: DiffQuery): Promise<CaptureDiff> {
  const station = await findStation(data)
  if (station) return askFor(station, query)
  const folder = openReadOnly(data)
  if (folder) {
    try {
      return await folder.diff(query)
    } finally {
      folder.close()
    }
  }
  const api = await openApi(data)
  try {
    return await askFor(api, query)
  } finally {
    await api.close()
  }
}

function askFor(api: Api, query: DiffQuery): Promise<CaptureDiff> {
  const { url, before, after, watchId, raw } = query
  const asked = new URLSearchParams({ url, before, after, as: 'json' })
  if (watchId != null) asked.set('watch', String(watchId))
  if (raw) asked.set('raw', '1')
  return api.get<CaptureDiff>(`/captures/diff?${asked.toString()}`)
}

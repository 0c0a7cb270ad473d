/** `minga archive import`. */
import type { ImportAnswer } from '@minga/coordinator'
import { resolve } from 'node:path'
import { findStation, openApi, type Api } from '../../api.ts'
import { requireReadable } from '../lake/files.ts'
import { withApi } from '../reach-api.ts'

interface ImportOptions {
  data: string
  json?: boolean
}

type Imported = ImportAnswer & { source: string }

export async function importFiles(files: string[], options: ImportOptions): Promise<number> {
  // Before the folder is opened, which would make it.
  for (const file of files) await requireReadable(file)
  const data = resolve(options.data)
  return withApi(openApi(data), async (api) => {
    const done: Imported[] = []
    for (const [i, source] of files.entries()) {
      process.stderr.write(`minga: importing ${source} (${i + 1} of ${files.length})…\n`)
      const answer = await importPatiently(api, data, resolve(source))
      done.push({ source, ...answer })
      report(source, answer)
    }
    // Also when a station serves the folder: others find the new captures in index.cdxj at once.
    await api.post('/archive/index', {})
    if (options.json) process.stdout.write(`${JSON.stringify(summaryOf(done))}\n`)
  })
}

/**
 * A large file takes longer than an HTTP client waits. Importing is idempotent, and the station
 * does one file at a time, so asking again waits for the same work to end.
 */
async function importPatiently(api: Api, data: string, file: string): Promise<ImportAnswer> {
  for (;;) {
    try {
      return await api.post<ImportAnswer>('/archive/import', { file })
    } catch (error) {
      const isGone = (error as { code?: string }).code === 'MINGA_STATION_UNREACHABLE'
      if (!isGone || (await findStation(data)) === null) throw error
    }
  }
}

function report(source: string, answer: ImportAnswer): void {
  const how = answer.already
    ? 'was imported before'
    : answer.repacked
      ? 'imported, repacked'
      : 'imported'
  process.stderr.write(`minga: ${source} ${how}: ${answer.captures} captures in ${answer.file}\n`)
  for (const { offset, code, message } of answer.findings) {
    process.stderr.write(`  ${source}, offset ${offset}: ${code}: ${message}\n`)
  }
  const more = answer.findingCount - answer.findings.length
  if (more > 0) process.stderr.write(`  … and ${more} more\n`)
}

function summaryOf(imported: Imported[]): Record<string, unknown> {
  const fresh = imported.filter(({ already }) => !already)
  return {
    files: imported,
    captures: fresh.reduce((sum, { captures }) => sum + captures, 0),
    damaged: imported.reduce((sum, { findingCount }) => sum + findingCount, 0),
  }
}

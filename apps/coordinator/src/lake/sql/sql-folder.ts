/**
 * Questions in SQL about a folder that no station serves, answered without starting one. The store's lock keeps other
 * processes away for the time of the question.
 */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LakeFiles } from '@minga/lake/lake-files'
import { Tables } from '@minga/lake/tables'
import { systemClock, type SqlQuestion } from '@minga/protocol'
import { openStore, type Store } from '@minga/store'
import { givenSettings } from '../../station/settings/given-settings.ts'
import { currentValues } from '../../station/settings/live-settings.ts'
import { SETTING_DEFAULTS, type SettingValues } from '../../station/settings/registry.ts'
import { readSettingsFile } from '../../station/settings/settings-file.ts'
import { ownRunner } from '../duckdb/runner.ts'
import { FEED_NAMES } from '../feed/feed-tables.ts'
import { NOTHING_HIDDEN } from '../../accounts/visibility/limited-tables.ts'
import { LAKE_FOLDER, SqlService, sqlLimits } from './sql-service.ts'
import type { SqlFolderOperations } from './sql-folder-operations.ts'

export interface SqlFolder {
  data: string
  /** Where MINGA_SETTING_… may change limits. */
  environment: Readonly<Record<string, string | undefined>>
}

/** Rows of the station's own tables may still have to be written, which only a station does. */
export function needsStation(sql: string): boolean {
  const asked = sql.toLowerCase()
  return FEED_NAMES.some((name) => asked.includes(name))
}

/** The answer in the format that the question names, JSON unless it does. */
export async function askSqlFolder(folder: SqlFolder, question: SqlQuestion): Promise<Buffer> {
  const { data } = folder
  const operations = new URL('./sql-folder-operations.ts', import.meta.url).href
  const store = await openStore<SqlFolderOperations>({ data, operations, writer: 'main' })
  try {
    return await answer(folder, { store, values: await settingsOf(folder, store) }, question)
  } finally {
    await store.close()
  }
}

async function answer(
  { data }: SqlFolder,
  { store, values }: { store: Store<SqlFolderOperations>; values: SettingValues },
  { sql, format = 'json', rowsMax, timeoutS }: SqlQuestion,
): Promise<Buffer> {
  const files = new LakeFiles(join(data, LAKE_FOLDER))
  const shared = { files, runner: ownRunner, clock: systemClock, newId: () => randomUUID() }
  const tables = new Tables({ ...shared, store })
  const limits = (): ReturnType<typeof sqlLimits> => sqlLimits(values)
  const service = new SqlService({ ...shared, limits, closing: new AbortController().signal })
  const { file, remove } = await service.ask({
    owner: 'operator',
    sql,
    format,
    rowsMax,
    timeoutMs: timeoutS === undefined ? undefined : timeoutS * 1_000,
    hold: async () => ({ ...(await tables.hold('all', 'sql')), hidden: NOTHING_HIDDEN }),
    signal: new AbortController().signal,
  })
  try {
    return await readFile(files.at(file))
  } finally {
    await remove()
  }
}

async function settingsOf(
  { data, environment }: SqlFolder,
  store: Store<SqlFolderOperations>,
): Promise<SettingValues> {
  const given = givenSettings({ file: await readSettingsFile(data), environment, flags: {} })
  const rows = await store.call('storedSettings', {})
  return currentValues({ ...SETTING_DEFAULTS, ...given.values }, rows)
}

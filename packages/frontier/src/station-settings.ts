/**
 * The settings that operators changed, and the trail of who changed what. Here they are names and
 * JSON: what they mean, and which values are allowed, is said where they are offered.
 */
import {
  conditionsOf,
  logEvents,
  readSortedPage,
  type FoundPage,
  type PageArgs,
  type Sql,
} from '@minga/store'
import { filterIn } from './filters/read-filter.ts'
import { lockFilters, recallUnwanted } from './filters/recall.ts'
import { forUpdate } from './row-locks.ts'

export interface NewSetting {
  name: string
  /** JSON; null: back to what holds without a change. */
  value: string | null
  /** JSON of what holds without a change, for the trail. */
  otherwise: string
}

export interface ChangeSettings {
  changes: readonly NewSetting[]
  /** Who changes them, and why, for the operators' eyes. */
  by: string | null
  note: string | null
  now: number
}

export interface SettingsChanged {
  changed: number
  /** What changed, as JSON before and after. */
  changes: { name: string; before: string; after: string }[]
  /** Boots that lost what another filter does not want. */
  recalled: string[]
}

/** All of them or none; a value that holds already leaves no trace. */
export async function changeSettings(sql: Sql, args: ChangeSettings): Promise<SettingsChanged> {
  const { by, note, now } = args
  const filter = args.changes.find(({ name }) => name === 'filter')
  if (filter) await lockFilters(sql)
  const changes: SettingsChanged['changes'] = []
  // In one order for everyone, so that two operators never wait for each other.
  for (const { name, value, otherwise } of args.changes.toSorted(byName)) {
    const stored = await sql.get<{ value: string }>(
      `SELECT value FROM settings WHERE name = ?${forUpdate(sql)}`,
      [name],
    )
    if ((stored?.value ?? null) === value) continue
    if (value === null) await sql.run('DELETE FROM settings WHERE name = ?', [name])
    else await writeSetting(sql, [name, value, now, by])
    const before = stored?.value ?? otherwise
    const after = value ?? otherwise
    await sql.insertMany({
      table: 'setting_changes',
      columns: ['name', 'before', 'after', 'changed_by', 'at', 'note'],
      rows: [[name, before, after, by, now, note]],
    })
    await logChange(sql, { name, after, by, now })
    changes.push({ name, before, after })
  }
  const changed = changes.length
  if (!filter) return { changed, changes, recalled: [] }
  const station = filterIn(filter.value ?? filter.otherwise)
  return {
    changed,
    changes,
    recalled: await recallUnwanted(sql, { station, collectionId: null, now }),
  }
}

async function logChange(
  sql: Sql,
  { name, after, by, now }: { name: string; after: string; by: string | null; now: number },
): Promise<void> {
  const sentence = `The setting ${name} is ${after} from now on.`
  const details = { value: after }
  await logEvents(sql, [{ at: now, code: 'setting:changed', subject: name, sentence, details, by }])
}

const byName = (a: NewSetting, b: NewSetting): number => (a.name < b.name ? -1 : 1)

async function writeSetting(
  sql: Sql,
  row: [name: string, value: string, changedAt: number, changedBy: string | null],
): Promise<void> {
  await sql.insertMany({
    table: 'settings',
    columns: ['name', 'value', 'changed_at', 'changed_by'],
    rows: [row],
    onConflict: { keys: ['name'], update: ['value', 'changed_at', 'changed_by'] },
  })
}

export interface SettingChange {
  no: number
  name: string
  /** JSON. */
  before: string
  after: string
  by: string | null
  at: number
  note: string | null
}

const CHANGE_COLUMNS = 'no, name, before, after, changed_by AS "by", at, note'

/** Newest first. */
export function settingChanges(
  sql: Sql,
  args: { before: number; limit: number },
): Promise<SettingChange[]> {
  return sql.all<SettingChange>(
    `SELECT ${CHANGE_COLUMNS} FROM setting_changes
     WHERE no < ? ORDER BY no DESC LIMIT ?`,
    [args.before, args.limit],
  )
}

/** By time is by number: two changes of one moment keep their order. */
const CHANGE_ORDERS = { at: 'no', setting: 'name', by: `COALESCE(changed_by, '')` } as const
export const SETTING_CHANGE_ORDERS = Object.keys(CHANGE_ORDERS) as (keyof typeof CHANGE_ORDERS)[]

export interface FindSettingChangesArgs extends PageArgs {
  readonly setting?: string | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly order: keyof typeof CHANGE_ORDERS
}

/** Changes by setting, time and text, in an order that the reader chose, page by page. */
export function findSettingChanges(
  sql: Sql,
  args: FindSettingChangesArgs,
): Promise<FoundPage<SettingChange>> {
  const listing = {
    columns: CHANGE_COLUMNS,
    from: 'FROM setting_changes',
    id: 'no',
    isIdNumber: true,
    order: CHANGE_ORDERS[args.order],
    texts: ['name', 'before', 'after', `COALESCE(changed_by, '')`, `COALESCE(note, '')`],
    conditions: conditionsOf([
      ['name = ?', args.setting],
      ['at >= ?', args.from],
      ['at < ?', args.to],
    ]),
  }
  return readSortedPage(sql, listing, args)
}

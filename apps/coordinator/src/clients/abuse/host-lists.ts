/**
 * The operator's lists of hosts: single ones, denied or excepted, and categories that are denied as
 * a whole. What is denied is a rule of the frontier, which closes the host at once; here is kept
 * what a category consists of, also while it is not denied.
 */
import { closeHosts, exemptHosts, openHosts } from '@minga/frontier'
import type { Sql } from '@minga/store'

const CODE = 'MINGA_HOST_DENIED'
const SOURCE = 'operator'
const sourceOf = (category: string): string => `category:${category}`

export interface HostDecision {
  /** Patterns as `parseHostRule` answers them. */
  rules: readonly string[]
  reason: string
  by: string
  now: number
}

/** Nothing is dialled there from the moment this has committed. */
export async function denyHosts(sql: Sql, args: HostDecision): Promise<void> {
  await closeHosts(sql, { ...args, source: SOURCE, code: CODE })
}

/** An exception wins over a domain's closing, and over a category that names the very same host. */
export async function allowHosts(sql: Sql, args: HostDecision): Promise<void> {
  await exemptHosts(sql, { ...args, source: SOURCE, code: CODE })
  for (const [category, rules] of await deniedCategoriesOf(sql, args.rules)) {
    await openHosts(sql, { rules, source: sourceOf(category), now: args.now })
  }
}

/** Takes back what was decided about these hosts by name; categories hold again. */
export async function forgetHosts(sql: Sql, args: Omit<HostDecision, 'reason'>): Promise<void> {
  await openHosts(sql, { rules: args.rules, source: SOURCE, now: args.now })
  for (const [category, rules] of await deniedCategoriesOf(sql, args.rules)) {
    await closeCategory(sql, { ...args, category, rules })
  }
}

async function deniedCategoriesOf(
  sql: Sql,
  rules: readonly string[],
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for (const rule of rules) {
    const rows = await sql.all<{ name: string }>(
      `SELECT c.name FROM category_hosts h JOIN host_categories c ON c.name = h.category
       WHERE h.pattern = ? AND c.is_denied = 1`,
      [rule],
    )
    for (const { name } of rows) found.set(name, [...(found.get(name) ?? []), rule])
  }
  return found
}

async function closeCategory(
  sql: Sql,
  args: Omit<HostDecision, 'reason'> & { category: string },
): Promise<void> {
  const { category, by, now } = args
  const rules = await notExcepted(sql, args.rules)
  const reason = `The category ${category} is denied on this station.`
  await closeHosts(sql, { rules, source: sourceOf(category), code: CODE, reason, by, now })
}

async function notExcepted(sql: Sql, rules: readonly string[]): Promise<string[]> {
  const rows = await sql.selectMany<{ effect: string }>({
    table: 'host_rules',
    keys: ['pattern', 'source'],
    rows: rules.map((rule) => [rule, SOURCE]),
    columns: ['effect'],
  })
  return rules.filter((_, i) => rows[i]?.effect !== 'exempt')
}

export interface Category {
  name: string
  isDenied: boolean
  hosts: number
  reason: string
  changedBy: string
  changedAt: number
}

export async function listCategories(sql: Sql): Promise<Category[]> {
  const rows = await sql.all<Omit<Category, 'isDenied'> & { isDenied: number }>(
    `SELECT name, is_denied AS "isDenied", reason, changed_by AS "changedBy",
       changed_at AS "changedAt",
       (SELECT COUNT(*) FROM category_hosts h WHERE h.category = c.name) AS hosts
     FROM host_categories c ORDER BY name`,
  )
  return rows.map((row) => ({ ...row, isDenied: row.isDenied === 1 }))
}

export interface CategoryHost {
  pattern: string
  reason: string
  addedBy: string
  addedAt: number
}

export function categoryHosts(
  sql: Sql,
  args: { name: string; after: string; limit: number },
): Promise<CategoryHost[]> {
  return sql.all<CategoryHost>(
    `SELECT pattern, reason, added_by AS "addedBy", added_at AS "addedAt" FROM category_hosts
     WHERE category = ? AND pattern > ? ORDER BY pattern LIMIT ?`,
    [args.name, args.after, args.limit],
  )
}

export interface CategoryChange {
  name: string
  /** Null leaves it unchanged; a new category is denied unless this says otherwise. */
  isDenied: boolean | null
  add: readonly string[]
  remove: readonly string[]
  reason: string
  by: string
  now: number
}

/** Answers whether its hosts, those that were in it before too, are to be closed or opened now. */
export async function changeCategory(
  sql: Sql,
  args: CategoryChange,
): Promise<{ isDenied: boolean; wasDenied: boolean }> {
  const { name, add, remove, reason, by, now } = args
  const known = await sql.get<{ is_denied: number }>(
    `SELECT is_denied FROM host_categories WHERE name = ?${sql.dialect === 'postgres' ? ' FOR UPDATE' : ''}`,
    [name],
  )
  const wasDenied = known?.is_denied === 1
  const isDenied = args.isDenied ?? (known ? wasDenied : true)
  await sql.insertMany({
    table: 'host_categories',
    columns: ['name', 'is_denied', 'reason', 'changed_by', 'changed_at'],
    rows: [[name, isDenied ? 1 : 0, reason, by, now]],
    onConflict: { keys: ['name'], update: ['is_denied', 'reason', 'changed_by', 'changed_at'] },
  })
  await sql.deleteMany({
    table: 'category_hosts',
    keys: ['category', 'pattern'],
    rows: remove.map((pattern) => [name, pattern]),
  })
  await sql.insertMany({
    table: 'category_hosts',
    columns: ['category', 'pattern', 'reason', 'added_by', 'added_at'],
    rows: add.map((pattern) => [name, pattern, reason, by, now]),
    onConflict: 'ignore',
  })
  await openHosts(sql, { rules: remove, source: sourceOf(name), now })
  if (isDenied) await closeCategory(sql, { category: name, rules: add, by, now })
  return { isDenied, wasDenied }
}

/** One page of a category's hosts is closed or opened; answers where the next begins, or null. */
export async function applyCategory(
  sql: Sql,
  args: { name: string; after: string; limit: number; by: string; now: number },
): Promise<string | null> {
  const { name, by, now } = args
  const row = await sql.get<{ is_denied: number }>(
    'SELECT is_denied FROM host_categories WHERE name = ?',
    [name],
  )
  const rules = (await categoryHosts(sql, args)).map(({ pattern }) => pattern)
  if (row?.is_denied === 1) await closeCategory(sql, { category: name, rules, by, now })
  else await openHosts(sql, { rules, source: sourceOf(name), now })
  return rules.length < args.limit ? null : rules.at(-1)!
}

/** What the rules about hosts say, read from the table (see host-rules.ts on who writes them). */
import { conditionsOf, readSortedPage, type FoundPage, type PageArgs, type Sql } from '@minga/store'
import { effectOn, patternsFor, type HostEffect, type HostRule } from './host-rules-match.ts'

/** Keeps the number of different statements small: they are prepared once each. */
const LOOK_UP_STEP = 50

const COLUMNS = `pattern, source, effect, code, delay_ms AS "delayMs", reason, made_by AS "madeBy", since`

async function rulesNamed(sql: Sql, patterns: readonly string[]): Promise<HostRule[]> {
  const asked = [...new Set(patterns)]
  const found: HostRule[] = []
  for (let at = 0; at < asked.length; at += LOOK_UP_STEP) {
    const step = asked.slice(at, at + LOOK_UP_STEP)
    const padded = [...step, ...Array<string>(LOOK_UP_STEP - step.length).fill(step.at(-1)!)]
    const marks = padded.map(() => '?').join(', ')
    found.push(
      ...(await sql.all<HostRule>(
        `SELECT ${COLUMNS} FROM host_rules WHERE pattern IN (${marks})`,
        padded,
      )),
    )
  }
  return found
}

/** What all rules together say of each host. */
export async function effectsOn(
  sql: Sql,
  hosts: readonly string[],
): Promise<Map<string, HostEffect>> {
  const isAny = await sql.get('SELECT 1 FROM host_rules LIMIT 1')
  const rules = isAny ? await rulesNamed(sql, hosts.flatMap(patternsFor)) : []
  const byPattern = Map.groupBy(rules, ({ pattern }) => pattern)
  return new Map(
    hosts.map((host) => {
      const own = patternsFor(host).flatMap((pattern) => byPattern.get(pattern) ?? [])
      return [host, effectOn(host, own)]
    }),
  )
}

export async function hostRuleFor(sql: Sql, args: { host: string }): Promise<HostEffect> {
  return (await effectsOn(sql, [args.host])).get(args.host)!
}

/** The rules of a source, by pattern. */
export function listHostRules(
  sql: Sql,
  args: { source: string; after: string; limit: number },
): Promise<HostRule[]> {
  return sql.all<HostRule>(
    `SELECT ${COLUMNS} FROM host_rules WHERE source = ? AND pattern > ? ORDER BY pattern LIMIT ?`,
    [args.source, args.after, args.limit],
  )
}

const RULE_ORDERS = {
  host: 'pattern',
  effect: 'effect',
  reason: 'reason',
  madeBy: 'made_by',
  since: 'since',
} as const
export const HOST_RULE_ORDERS = Object.keys(RULE_ORDERS) as (keyof typeof RULE_ORDERS)[]

export interface FindHostRulesArgs extends PageArgs {
  readonly source: string
  readonly effect?: HostRule['effect'] | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly order: keyof typeof RULE_ORDERS
}

/** The rules of a source by host, effect and text, in an order that the reader chose, page by page. */
export function findHostRules(sql: Sql, args: FindHostRulesArgs): Promise<FoundPage<HostRule>> {
  const listing = {
    columns: COLUMNS,
    from: 'FROM host_rules',
    id: 'pattern',
    order: RULE_ORDERS[args.order],
    texts: ['pattern', 'reason', 'made_by'],
    conditions: conditionsOf([
      ['source = ?', args.source],
      ['effect = ?', args.effect],
      ['since >= ?', args.from],
      ['since < ?', args.to],
    ]),
  }
  return readSortedPage(sql, listing, args)
}

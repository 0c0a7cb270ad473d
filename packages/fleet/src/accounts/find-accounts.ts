/** Accounts by what they are called and what they may, in an order that the reader chose, page by page. */
import { conditionsOf, readSortedPage, type FoundPage, type PageArgs, type Sql } from '@minga/store'
import { ACCOUNT_COLUMNS, accountOf, type Account, type AccountRow } from './account-rows.ts'
import type { Role } from './permissions.ts'

const ORDERS = { name: 'name_key', createdAt: 'created_at' } as const
export const ACCOUNT_ORDERS = Object.keys(ORDERS) as (keyof typeof ORDERS)[]

export interface FindAccountsArgs extends PageArgs {
  readonly role?: Role | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly order: keyof typeof ORDERS
}

export async function findAccounts(sql: Sql, args: FindAccountsArgs): Promise<FoundPage<Account>> {
  const listing = {
    columns: ACCOUNT_COLUMNS,
    from: 'FROM accounts',
    id: 'id',
    order: ORDERS[args.order],
    texts: ['name', 'id'],
    conditions: conditionsOf([
      // Roles are words with a space between them.
      [`' ' || roles || ' ' LIKE ?`, args.role === undefined ? undefined : `% ${args.role} %`],
      ['created_at >= ?', args.from],
      ['created_at < ?', args.to],
    ]),
  }
  const page = await readSortedPage<AccountRow>(sql, listing, args)
  return { ...page, rows: page.rows.map(accountOf) }
}

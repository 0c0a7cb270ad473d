/** Accounts: made, found, given roles and passwords. */
import { conditionsOf, readSortedPage, type FoundPage, type PageArgs, type Sql } from '@minga/store'
import { NameTaken, NoSuchAccount, OperatorStays } from './account-errors.ts'
import { isRole, type Role } from './permissions.ts'

/** The account of the person who has the station's own files. */
export const OPERATOR = 'operator'

export interface Account {
  id: string
  name: string
  roles: Role[]
  createdAt: number
  hasPassword: boolean
}

export interface AccountRow {
  id: string
  name: string
  password_hash: string | null
  roles: string
  created_at: number
}

const ACCOUNT_COLUMNS = 'id, name, password_hash, roles, created_at'

export interface NewAccount {
  id: string
  name: string
  /** Null: no login is possible until a reset sets a password. */
  passwordHash: string | null
  roles: readonly Role[]
  now: number
}

export async function registerAccount(sql: Sql, args: NewAccount): Promise<Account> {
  if (!(await insertAccount(sql, args))) throw new NameTaken(args.name)
  return accountOf(await readAccount(sql, args.id))
}

/** Of two that register the same name together, one gets it. */
async function insertAccount(sql: Sql, args: NewAccount): Promise<boolean> {
  const [isNew] = await sql.insertNew({
    table: 'accounts',
    columns: [
      'id',
      'name',
      'name_key',
      'password_hash',
      'roles',
      'created_at',
      'password_changed_at',
    ],
    keys: ['name_key'],
    rows: [
      [
        args.id,
        args.name,
        nameKey(args.name),
        args.passwordHash,
        args.roles.join(' '),
        args.now,
        args.passwordHash === null ? null : args.now,
      ],
    ],
  })
  return isNew!
}

export interface EnsureOperatorArgs {
  /** SHA-256 of the key in station.json; null when none is needed. */
  keyHash: string | null
  now: number
}

/**
 * At every start: the operator's account, and the key of station.json with all its rights. A key
 * that was revoked or replaced stays so: the answer says whether the station needs a new one, and names a new one.
 */
export async function ensureOperator(
  sql: Sql,
  { keyHash, now }: EnsureOperatorArgs,
): Promise<{ isKeyUsable: boolean; newKey: string | null }> {
  const roles: readonly Role[] = [OPERATOR]
  await insertAccount(sql, { id: OPERATOR, name: OPERATOR, passwordHash: null, roles, now })
  if (keyHash === null) return { isKeyUsable: true, newKey: null }
  const id = `key_${keyHash.slice(0, 20)}`
  const added = await sql.insertMany({
    table: 'api_keys',
    columns: ['id', 'account_id', 'name', 'hash', 'created_at'],
    // Named by its hash: stations that share a database have a key each.
    rows: [[id, OPERATOR, 'station.json', keyHash, now]],
    onConflict: 'ignore',
  })
  const key = await sql.get<{ revoked_at: number | null; expires_at: number | null }>(
    'SELECT revoked_at, expires_at FROM api_keys WHERE hash = ?',
    [keyHash],
  )
  const isKeyUsable = key?.revoked_at === null && (key.expires_at ?? Infinity) > now
  return { isKeyUsable, newKey: added > 0 ? id : null }
}

export interface Login {
  id: string
  name: string
  passwordHash: string | null
}

export async function findLogin(sql: Sql, args: { name: string }): Promise<Login | null> {
  const row = await sql.get<AccountRow>(
    `SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE name_key = ?`,
    [nameKey(args.name)],
  )
  return row === undefined ? null : { id: row.id, name: row.name, passwordHash: row.password_hash }
}

export async function writePassword(
  sql: Sql,
  args: { id: string; hash: string; now: number },
): Promise<void> {
  await sql.run('UPDATE accounts SET password_hash = ?, password_changed_at = ? WHERE id = ?', [
    args.hash,
    args.now,
    args.id,
  ])
  // A link that was made for the former password would overwrite this one.
  await sql.run('DELETE FROM account_resets WHERE account_id = ? AND used_at IS NULL', [args.id])
}

/** The same password under today's parameters: sessions stay. */
export async function renewPasswordHash(
  sql: Sql,
  args: { id: string; from: string; to: string },
): Promise<void> {
  await sql.run('UPDATE accounts SET password_hash = ? WHERE id = ? AND password_hash = ?', [
    args.to,
    args.id,
    args.from,
  ])
}

export async function setRoles(
  sql: Sql,
  args: { id: string; roles: readonly Role[] },
): Promise<Account> {
  const account = await readAccount(sql, args.id)
  if (args.id === OPERATOR && !args.roles.includes(OPERATOR)) throw new OperatorStays()
  const roles = [...new Set(args.roles)].join(' ')
  await sql.run('UPDATE accounts SET roles = ? WHERE id = ?', [roles, args.id])
  return accountOf({ ...account, roles })
}

export async function findAccount(sql: Sql, args: { id: string }): Promise<Account> {
  return accountOf(await readAccount(sql, args.id))
}

/** By id first, so that an account whose name is another's id is not taken for it. */
export async function findNamedAccount(sql: Sql, args: { account: string }): Promise<Account> {
  const found = await sql.get<{ id: string }>(
    `SELECT id FROM accounts WHERE id = ? OR name_key = ?
     ORDER BY CASE WHEN id = ? THEN 0 ELSE 1 END LIMIT 1`,
    [args.account, nameKey(args.account), args.account],
  )
  if (found === undefined) throw new NoSuchAccount(args.account)
  return accountOf(await readAccount(sql, found.id))
}

export interface ListAccountsArgs {
  /** The id of the last account of the page before; null: from the first. */
  after: string | null
  limit: number
}

/** Oldest first. */
export async function listAccounts(sql: Sql, args: ListAccountsArgs): Promise<Account[]> {
  const last = args.after === null ? undefined : await readAccount(sql, args.after)
  const [createdAt, id] = last === undefined ? [-1, ''] : [last.created_at, last.id]
  const rows = await sql.all<AccountRow>(
    `SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE created_at > ? OR (created_at = ? AND id > ?)
     ORDER BY created_at, id LIMIT ?`,
    [createdAt, createdAt, id, args.limit],
  )
  return rows.map(accountOf)
}

/** The row, locked: what is decided by it stays true until the commit. */
export async function readAccount(sql: Sql, id: string): Promise<AccountRow> {
  const lock = sql.dialect === 'postgres' ? ' FOR UPDATE' : ''
  const row = await sql.get<AccountRow>(
    `SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE id = ?${lock}`,
    [id],
  )
  if (row === undefined) throw new NoSuchAccount(id)
  return row
}

function accountOf(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    roles: rolesOf(row.roles),
    createdAt: row.created_at,
    hasPassword: row.password_hash !== null,
  }
}

/** A role that a newer Minga gave is no right in this one. */
export function rolesOf(text: string): Role[] {
  return text.split(' ').filter(isRole)
}

export function nameKey(name: string): string {
  return name.toLowerCase()
}

const ORDERS = { name: 'name_key', createdAt: 'created_at' } as const
export const ACCOUNT_ORDERS = Object.keys(ORDERS) as (keyof typeof ORDERS)[]

export interface FindAccountsArgs extends PageArgs {
  readonly role?: Role | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly order: keyof typeof ORDERS
}

/** Accounts by what they are called and what they may, in an order that the reader chose, page by page. */
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

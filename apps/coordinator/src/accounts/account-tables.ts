/**
 * Every table with rows of an account: what an export shows of them, and what becomes of them when the account is deleted.
 * A test compares this list with the schema, so that no new table is forgotten.
 */

interface AccountTable {
  table: string
  /** Where the account is named. */
  column: string
  /**
   * `deleted` with the account; `operator`: they belong to the operator from then on; `stays`: under the id of the
   * account, whose name is replaced.
   */
  end: 'deleted' | 'operator' | 'stays'
  /** Columns that no export shows: digests, secrets, and what is for indexes only. */
  hidden?: readonly string[]
  /** What stands before the id in the column. */
  prefix?: string
}

export const ACCOUNT_TABLES: readonly AccountTable[] = [
  {
    table: 'accounts',
    column: 'id',
    end: 'stays',
    hidden: ['name_key', 'password_hash', 'email_key'],
  },
  { table: 'account_sessions', column: 'account_id', end: 'deleted', hidden: ['hash'] },
  { table: 'account_resets', column: 'account_id', end: 'deleted', hidden: ['hash'] },
  { table: 'account_email_links', column: 'account_id', end: 'deleted', hidden: ['hash'] },
  { table: 'account_totp', column: 'account_id', end: 'deleted', hidden: ['secret'] },
  { table: 'account_recovery_codes', column: 'account_id', end: 'deleted', hidden: ['hash'] },
  { table: 'account_identities', column: 'account_id', end: 'deleted' },
  { table: 'account_passkeys', column: 'account_id', end: 'deleted' },
  { table: 'api_keys', column: 'account_id', end: 'deleted', hidden: ['hash'] },
  { table: 'join_tokens', column: 'owner', end: 'deleted', hidden: ['hash'] },
  { table: 'favourites', column: 'account', end: 'deleted' },
  { table: 'searches', column: 'account', end: 'deleted' },
  { table: 'saved_queries', column: 'owner', end: 'deleted' },
  { table: 'watch_seen', column: 'account', end: 'deleted' },
  { table: 'readers', column: 'account', end: 'deleted' },
  { table: 'client_days', column: 'client', end: 'deleted' },
  { table: 'client_hosts', column: 'client', end: 'deleted' },
  // Deleted one by one, with what hangs on them.
  { table: 'alert_rules', column: 'account', end: 'deleted' },
  { table: 'mail_consents', column: 'account', end: 'deleted' },
  { table: 'mail_confirmations', column: 'account', end: 'deleted', hidden: ['token_hash'] },
  { table: 'devices', column: 'owner', end: 'deleted', hidden: ['last_nonce'] },
  { table: 'collections', column: 'owner', end: 'operator' },
  { table: 'lake_tables', column: 'owner', end: 'operator' },
  { table: 'wikis', column: 'owner', end: 'operator' },
  { table: 'lake_queries', column: 'owner', end: 'stays' },
  { table: 'batches', column: 'client', end: 'stays' },
  { table: 'clients', column: 'client', end: 'stays' },
  { table: 'load_tests', column: 'account', end: 'stays' },
  { table: 'neutrality_monitors', column: 'account', end: 'stays' },
  { table: 'watch_trail', column: 'by_account', end: 'stays' },
  { table: 'collection_trail', column: 'by_account', end: 'stays' },
  { table: 'watch_hooks', column: 'made_by', end: 'stays', hidden: ['hash'] },
  { table: 'host_rules', column: 'made_by', end: 'stays' },
  { table: 'event_log', column: 'subject', end: 'stays', hidden: ['text', 'times'] },
  { table: 'event_log', column: 'by_account', end: 'stays', hidden: ['text', 'times'] },
  { table: 'audit_log', column: 'actor', end: 'stays', hidden: ['hash'] },
  { table: 'audit_log', column: 'subject', end: 'stays', hidden: ['hash'] },
  { table: 'ledger_entries', column: 'account', end: 'stays', prefix: 'client:' },
  { table: 'ledger_entries', column: 'account', end: 'stays', prefix: 'volunteer:' },
  { table: 'ledger_balances', column: 'account', end: 'stays', prefix: 'client:' },
  { table: 'ledger_balances', column: 'account', end: 'stays', prefix: 'volunteer:' },
]

/** Tables with a column of the same kind that are none of the person's, with the reason. */
export const OTHER_TABLES: Readonly<Record<string, string>> = {
  abuse_flags: 'what the station suspects, for its operator; it stays',
  audits: 'would show who is to audit whom; it stays',
  device_trust: 'would show when a device is tested; it stays, so that leaving proves nothing',
  device_days: 'sums of devices, without an owner when a device is deleted',
  lake_owners: 'whose turn it is',
  watches: 'subject is what is watched; the owner is that of the collection',
  station_events: 'of hosts and agents',
  download_tickets: 'for a minute, by the digest of a session or key',
}

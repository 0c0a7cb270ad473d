/**
 * Double entry: a posting moves money between accounts, its entries sum to zero. Amounts are
 * integer micro-units of the currency.
 */
export const ledger = {
  version: 3,
  name: 'ledger',
  statements: [
    // The id comes from outside and is the idempotency key: the same id never moves money twice.
    `CREATE TABLE ledger_postings (
      id TEXT PRIMARY KEY,
      at {{int}} NOT NULL,
      kind TEXT NOT NULL,
      reference TEXT NOT NULL,
      note TEXT
    ) {{without_rowid}}`,
    `CREATE INDEX ledger_postings_by_time ON ledger_postings (at)`,

    // 'ordinal' counts an account's entries. 'booked_at' is the posting's time, or the time of
    // the account's entry before if that is later (stations' clocks differ): thus a statement
    // sorted by it has true running balances. 'requests' is how many served requests are paid.
    `CREATE TABLE ledger_entries (
      posting_id TEXT NOT NULL,
      account TEXT NOT NULL,
      amount_micros {{int}} NOT NULL,
      requests {{int}} NOT NULL,
      balance_micros {{int}} NOT NULL,
      ordinal {{int}} NOT NULL,
      booked_at {{int}} NOT NULL,
      PRIMARY KEY (posting_id, account)
    ) {{without_rowid}}`,
    `CREATE UNIQUE INDEX ledger_entries_by_account ON ledger_entries (account, booked_at, ordinal)`,

    `CREATE TABLE ledger_balances (
      account TEXT PRIMARY KEY,
      balance_micros {{int}} NOT NULL,
      requests {{int}} NOT NULL,
      entries {{int}} NOT NULL,
      booked_at {{int}} NOT NULL
    ) {{without_rowid}}`,
  ],
}

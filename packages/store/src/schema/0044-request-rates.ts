/** How many requests an account, key, address or route had in the current minute, over all coordinators of a station. */
export const requestRates = {
  version: 44,
  name: 'request-rates',
  statements: [
    // name: a keyed digest of whom or what is counted; period: minutes since 1970; used: what coordinators have leased.
    `CREATE TABLE request_rates (
      name TEXT PRIMARY KEY,
      period {{int}} NOT NULL,
      used {{int}} NOT NULL
    ) {{without_rowid}}`,
    `CREATE INDEX request_rates_period ON request_rates (period)`,
  ],
}

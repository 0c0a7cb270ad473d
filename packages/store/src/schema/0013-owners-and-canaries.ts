/**
 * Whose a collection is (null: the station's own, and those from before there were owners), and how
 * many canaries a device is to be given next.
 */
export const ownersAndCanaries = {
  version: 13,
  name: 'owners-and-canaries',
  statements: [
    `ALTER TABLE collections ADD COLUMN owner TEXT`,
    `ALTER TABLE device_trust ADD COLUMN canaries_due {{int}} NOT NULL DEFAULT 0`,
    `CREATE INDEX device_trust_canaries ON device_trust (device) WHERE canaries_due > 0`,
  ],
}

/**
 * How many requests in flight a host has shown to bear; the most that anyone may ask for until it
 * complains.
 */
export const siteMaximum = {
  version: 16,
  name: 'site-maximum',
  statements: [`ALTER TABLE hosts ADD COLUMN bears {{real}} NOT NULL DEFAULT 16`],
}

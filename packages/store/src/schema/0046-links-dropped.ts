/** How many links of a collection's pages were beyond the limit of one page, and so were never looked at. */
export const linksDropped = {
  version: 46,
  name: 'links-dropped',
  statements: [`ALTER TABLE collections ADD COLUMN links_dropped {{int}} NOT NULL DEFAULT 0`],
}

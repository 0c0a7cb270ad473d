/** What is read of a stranger's words at most. Each is applied before any pattern sees the text. */

/** Longer attribute values are cut: no address is as long, and a srcset of a thousand addresses still fits. */
export const ATTRIBUTE_CHARS_MAX = 65_536

/** Longer header values are cut. Real ones that we read have less than a thousand characters. */
export const HEADER_CHARS_MAX = 8_192

/** More links than any page for readers has; beyond are link farms and generated calendars. */
export const LINKS_MAX = 10_000

/** References that are resolved to find these links: each costs as much as the address of the page is long. */
export const REFERENCES_MAX = 100_000

/** Of all links of a page together: with a long `<base>`, short references become megabytes of addresses. */
export const LINK_CHARS_MAX = 4_000_000

/** Of all addresses of a sitemap together: 50,000 of more than 300 characters each. */
export const SITEMAP_CHARS_MAX = 16_000_000

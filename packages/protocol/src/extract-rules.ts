/** Scraping: rules that turn each capture of a collection into a row of a table. */
import { z } from 'zod'

const NAME = /^[a-z][a-z0-9_]{0,54}$/

/** Columns that every row has. */
const GIVEN = new Set(['capture', 'url', 'at'])

const pattern = z
  .string()
  .max(1_000)
  .refine(isRegExp, { message: 'it is no regular expression that JavaScript understands' })

const extractRule = z
  .object({
    field: z
      .string()
      .regex(NAME)
      .refine((name) => !GIVEN.has(name), { message: 'every row has a column of this name' }),
    /** Where it is looked for: by a CSS selector, a path in JSON, or a regular expression in the body or in the
     * address; or the header of this name. Of an expression with a group, the group counts. */
    from: z.enum(['css', 'json', 'regex', 'url', 'header']),
    select: z.string().min(1).max(1_000),
    /** Of CSS: this attribute instead of the text. */
    attribute: z.string().min(1).max(100).optional(),
    type: z.enum(['text', 'integer', 'number', 'boolean', 'instant']).default('text'),
    /** Without it the capture is no row, but a reject. */
    isRequired: z.boolean().default(false),
    /** All that is found instead of the first; of text only. */
    list: z.boolean().default(false),
  })
  .refine(({ from, select }) => (from !== 'regex' && from !== 'url') || isRegExp(select), {
    message: 'select is no regular expression that JavaScript understands',
    path: ['select'],
  })
  .refine(({ list, type }) => !list || type === 'text', {
    message: 'a list is of text',
    path: ['type'],
  })
export type ExtractRule = z.output<typeof extractRule>

export const extractSpec = z
  .object({
    table: z.string().regex(NAME),
    rules: z.array(extractRule).min(1).max(100),
    /** Which captures: those whose address and type match; all pages of status 200 when left out. */
    match: z.object({ url: pattern.optional(), mime: pattern.optional() }).default({}),
  })
  .refine(({ rules }) => new Set(rules.map(({ field }) => field)).size === rules.length, {
    message: 'two rules have the same field',
    path: ['rules'],
  })
export type ExtractSpec = z.output<typeof extractSpec>

function isRegExp(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp
  } catch {
    return false
  }
}

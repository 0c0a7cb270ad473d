/** Where a page of a sorted list ended, as text that goes to the reader and comes back. */
import type { PageEnd } from '@minga/store'
import { z } from 'zod'

const form = z.tuple([z.union([z.string(), z.number()]), z.string()])

export function cursorOf({ value, id }: PageEnd): string {
  return Buffer.from(JSON.stringify([value, id])).toString('base64url')
}

export const cursorField = z
  .string()
  .max(1_000)
  .transform((text, context): PageEnd => {
    const read = form.safeParse(jsonIn(text))
    if (read.success) return { value: read.data[0], id: read.data[1] }
    context.addIssue({ code: 'custom', message: 'must be what the station gave as `next`' })
    return z.NEVER
  })

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return null
  }
}

/** Where a page of a sorted list ended, as text that goes to the reader and comes back. */
import { z } from 'zod'

export interface DeviceCursor {
  value: string | number
  id: string
}

const form = z.tuple([z.union([z.string(), z.number()]), z.string()])

export function cursorOf({ value, id }: DeviceCursor): string {
  return Buffer.from(JSON.stringify([value, id])).toString('base64url')
}

export const cursorField = z
  .string()
  .max(1_000)
  .transform((text, context): DeviceCursor => {
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

/** Fields that several calls about accounts share. */
import { ROLES } from '@minga/fleet'
import { z } from 'zod'

/** Plain letters only: two names that look alike are alike. An e-mail address will do. */
export const nameField = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._@+-]{2,63}$/i,
    'must be 3 to 64 letters a–z, digits or . _ @ + -, and begin with a letter or digit',
  )

/** What is too long for a password is refused as one; this only bounds the work. */
export const passwordField = z.string().max(10_000)

/** Of an authenticator app, or a recovery code. */
export const codeField = z.string().min(1).max(50)

export const rolesField = z.array(z.enum(ROLES)).max(ROLES.length)

/** Shown to people in lists. */
export const titleField = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')

export const idParams = z.object({ id: z.string().min(1).max(100) })

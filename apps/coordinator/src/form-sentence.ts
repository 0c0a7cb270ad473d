import type { ZodError } from 'zod'

/** One line that names each field and what is wrong with it, instead of zod's JSON. */
export function formSentence(error: ZodError): string {
  const problems = error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  )
  return `The request is not of the form expected here: ${problems.join('; ')}.`
}

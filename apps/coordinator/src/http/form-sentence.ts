import type { ZodError } from 'zod'

/**
 * No user corrects more at a time; a list of a million wrong values would make an answer of that
 * size.
 */
const PROBLEMS_MAX = 10

/** One line that names each field and what is wrong with it, instead of zod's JSON. */
export function formSentence(error: ZodError): string {
  const problems = error.issues
    .slice(0, PROBLEMS_MAX)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
  const more = error.issues.length - problems.length
  if (more > 0) problems.push(`and ${more} more`)
  return `The request is not of the form expected here: ${problems.join('; ')}.`
}
